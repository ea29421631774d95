//! Which connection a policy was paired with, for a harness that attributes publishes (CORE-135).
//!
//! A policy stacks codecs, transforms and perhaps a token around a leaf, and only the token knows
//! that the publisher belongs to another broker. It leaves a note for whoever is polling the
//! pairing.

use std::cell::Cell;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;

/// The identity of one connected broker, for as long as it lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Origin(usize);

impl Origin {
    /// The identity of `connected`.
    pub fn of<C>(connected: &Arc<C>) -> Self {
        Self(Arc::as_ptr(connected).addr())
    }
}

thread_local! {
    static NOTED: Cell<Option<Origin>> = const { Cell::new(None) };
}

/// Notes that the pairing being polled on this thread resolves against `connected`.
pub(crate) fn pairs_against<C>(connected: &Arc<C>) {
    NOTED.set(Some(Origin::of(connected)));
}

/// Runs a pairing and reports the foreign connection it resolved against, `None` when it used the
/// scope's own.
///
/// The note is taken in the same poll that left it, so pairings that interleave on one thread, or
/// move between threads, do not see each other's.
pub async fn paired<F: Future>(pairing: F) -> (F::Output, Option<Origin>) {
    let mut pairing = pin!(pairing);
    let mut origin = None;
    let output = poll_fn(|cx| {
        let outer = NOTED.replace(None);
        let poll = pairing.as_mut().poll(cx);
        origin = NOTED.replace(outer).or(origin);
        poll
    })
    .await;
    (output, origin)
}
