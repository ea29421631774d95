//! The drivers, over subscriptions by hand.

mod bounds;
mod death;
mod failures;
mod order;
mod stopping;

use std::future::Future;
use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use super::testkit::{App, Belt, Depot, Parcel, belt, nonzero};
use super::{InBatches, Singly, dispatch};
use crate::extract::Context;
use crate::handler::Handler;
use crate::policy::FailurePolicies;
use crate::workers::Workers;

/// The five forms of RUN-221, with n = 3 where there is a number.
fn forms() -> [Workers; 5] {
    [
        Workers::sequential(),
        Workers::pool(nonzero(3)),
        Workers::keyed(nonzero(3)),
        Workers::threads(nonzero(3)),
        Workers::threads_keyed(nonzero(3)),
    ]
}

/// Runs the loop of a subscription on a task.
fn start<H>(app: &App, depot: Depot<Parcel>, workers: Workers, handler: H) -> JoinHandle<()>
where
    H: Handler<Parcel> + 'static,
{
    start_under(app, depot, workers, FailurePolicies::default(), handler)
}

fn start_under<H>(
    app: &App,
    depot: Depot<Parcel>,
    workers: Workers,
    policies: FailurePolicies,
    handler: H,
) -> JoinHandle<()>
where
    H: Handler<Parcel> + 'static,
{
    let subscription = app.subscription(handler, policies);
    tokio::spawn(dispatch(Singly(depot), subscription, workers).expect("starts"))
}

/// A body that acks once the test lets it.
fn gated(gate: &Arc<Semaphore>) -> impl Handler<Parcel> + 'static {
    let gate = Arc::clone(gate);
    move |_: &Parcel, _: &mut Context<'_>| pass(Arc::clone(&gate))
}

async fn pass(gate: Arc<Semaphore>) {
    gate.acquire().await.expect("open").forget();
}

/// A body that acks at once.
fn acks() -> impl Handler<Parcel> + 'static {
    |_: &Parcel, _: &mut Context<'_>| async {}
}

/// Shows a future that must end on its own what to say where it does not.
async fn in_time<F: Future>(what: &str, future: F) -> F::Output {
    let limit = std::time::Duration::from_mins(1);
    let ended = tokio::time::timeout(limit, future).await;
    ended.unwrap_or_else(|_| panic!("{what} did not end"))
}

fn plain(count: usize) -> (Belt<Parcel>, Depot<Parcel>) {
    let (mut belt, depot) = belt();
    belt.put_plain(count);
    (belt, depot)
}
