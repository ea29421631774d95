//! Workers on tasks of the application's runtime: `workers(n)` and `workers(n, by_key)`.
//!
//! What is relied on: the tasks belong to a set that the loop owns, so dropping the loop aborts
//! them; they are also counted among the service's workers, so that a stop that aborts the loop can
//! wait until nothing of them is left; the set outlives its stream only until every lane is drained
//! (RUN-240).

use std::pin::{Pin, pin};

use futures_core::Stream;
use tokio::task::JoinSet;

use super::crew::Crew;
use super::feed::feed;
use super::handover::Shape;
use super::intake::Intake;
use crate::app::DispatchLoop;

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

/// The loop of `crew`, which is the same for every handler of such a source.
pub(super) fn start<I: Intake>(mut intake: I, crew: Crew<I::Item>) -> DispatchLoop {
    Box::pin(async move { run(pin!(intake.items()), crew).await })
}

async fn run<St, T, E>(stream: Pin<&mut St>, crew: Crew<T>)
where
    St: Stream<Item = Result<T, E>>,
    E: std::error::Error + Send,
{
    let Crew {
        giver,
        placing,
        fed,
        workers,
    } = crew;
    let mut running = JoinSet::new();
    for worker in workers {
        running.spawn(fed.service.workers().counted(worker.items));
    }
    let dead = feed(stream, giver, placing, &fed).await;
    finish(&fed.subscription, dead, running).await;
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
