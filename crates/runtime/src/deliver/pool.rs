//! Workers on tasks of the application's runtime: `workers(n)` and `workers(n, by_key)`.
//!
//! What is relied on: the tasks belong to a set that the loop owns, so dropping the loop aborts
//! them; they are also counted among the service's workers, so that a stop that aborts the loop can
//! wait until nothing of them is left; the set outlives its stream only until every lane is drained
//! (RUN-240).

use std::pin::Pin;
use std::sync::Arc;

use futures_core::Stream;
use tokio::task::JoinSet;

use super::feed::{Placing, feed};
use super::handover::{Shape, lanes};
use super::work::{Work, work};
use crate::workers::Placement;

/// `workers(n)`: one lane with n workers and as many items out, so a worker is free before the
/// stream is polled (RUN-224). `workers(n, by_key)`: n lanes, in each one item in process and one
/// queued (RUN-221).
pub(super) const fn shape(count: usize, by_key: bool) -> Shape {
    if by_key {
        Shape {
            lanes: count,
            workers: 1,
            limit: 2,
        }
    } else {
        Shape {
            lanes: 1,
            workers: count,
            limit: count,
        }
    }
}

pub(super) async fn run<St, T, E, W>(stream: Pin<&mut St>, worked: W, count: usize, by_key: bool)
where
    St: Stream<Item = Result<T, E>>,
    E: std::error::Error + Send,
    T: Send + 'static,
    W: Work<T>,
{
    let worked = Arc::new(worked);
    let shape = shape(count, by_key);
    let (giver, takers) = lanes(shape);
    let service = worked.service();
    let mut workers = JoinSet::new();
    for taker in takers {
        let continuations = service.continuations().clone();
        let task = work(
            taker,
            Arc::clone(&worked),
            continuations,
            Placement::Runtime,
        );
        workers.spawn(service.workers().counted(task));
    }
    let dead = feed(stream, giver, Placing::new(by_key, shape.lanes), &*worked).await;
    finish(worked.subscription(), dead, workers).await;
}

/// Waits until the workers have finished what they hold.
async fn finish(subscription: &str, dead: Option<usize>, mut workers: JoinSet<()>) {
    if let Some(worker) = dead {
        tracing::error!(
            target: "ruststream::dispatch",
            subscription = %subscription, worker, "worker terminated; stopping dispatch"
        );
    }
    while let Some(joined) = workers.join_next().await {
        if let Err(error) = joined {
            tracing::error!(
                target: "ruststream::dispatch",
                subscription = %subscription, error = %error, "worker task failed"
            );
        }
    }
}
