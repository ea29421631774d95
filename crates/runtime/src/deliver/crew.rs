//! The workers of one subscription, apart from what they handle.
//!
//! A service compiles what depends on a handler once for each handler. So the loop that hands items
//! out, and the tasks or threads that take them, know the type of an item only.

use std::pin::Pin;
use std::sync::Arc;

use super::feed::Placing;
use super::handover::{Giver, Shape, lanes};
use super::work::{Work, work};
use crate::app::Service;
use crate::tasks::Tasks;
use crate::workers::Placement;

/// Workers that wait for items, and the loop's end of their lanes.
pub(super) struct Crew<T> {
    pub(super) giver: Giver<T>,
    pub(super) placing: Placing,
    pub(super) fed: Fed<T>,
    pub(super) workers: Vec<Worker>,
}

/// One worker, not yet running.
pub(super) struct Worker {
    pub(super) items: Pin<Box<dyn Future<Output = ()> + Send>>,
    /// Where its continuations are spawned and counted.
    pub(super) continuations: Tasks,
}

/// What a loop that hands items out knows of them.
pub(super) struct Fed<T> {
    pub(super) service: Service,
    pub(super) subscription: Arc<str>,
    pub(super) key: fn(&T) -> Option<&[u8]>,
}

/// The workers of `worked`. On threads, each counts its own continuations.
pub(super) fn crew<T, W>(worked: W, shape: Shape, by_key: bool, on: Placement) -> Crew<T>
where
    T: Send + 'static,
    W: Work<T>,
{
    let fed = Fed {
        service: worked.service().clone(),
        subscription: Arc::from(worked.subscription()),
        key: W::key,
    };
    let worked = Arc::new(worked);
    let (giver, takers) = lanes(shape);
    let mut workers = Vec::with_capacity(takers.len());
    // A loop, as an iterator's adapters would be compiled for each handler as well.
    for taker in takers {
        let continuations = match on {
            Placement::Runtime => fed.service.continuations().clone(),
            Placement::Threads => Tasks::default(),
        };
        let items = work(taker, Arc::clone(&worked), continuations.clone(), on);
        workers.push(Worker {
            items: Box::pin(items),
            continuations,
        });
    }
    Crew {
        giver,
        placing: Placing::new(by_key, shape.lanes),
        fed,
        workers,
    }
}
