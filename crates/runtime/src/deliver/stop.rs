//! The signal that every dispatch loop of an application watches.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use futures_core::Stream;
use tokio::sync::Notify;
use tokio::sync::futures::Notified;

/// Raised once; loops then take no further delivery.
///
/// Looking is one load, so a loop looks before every poll of its stream; waiting registers with the
/// notifier once, before the loop begins. A waiter made before the raise is woken even if it was
/// never polled, and the flag is set before the waiters are notified: no order of the two can miss.
#[derive(Debug, Default)]
pub(crate) struct Stop {
    raised: AtomicBool,
    waiters: Notify,
}

impl Stop {
    pub(crate) fn raise(&self) {
        self.raised.store(true, Ordering::SeqCst);
        self.waiters.notify_waiters();
    }

    #[inline]
    pub(crate) fn is_raised(&self) -> bool {
        self.raised.load(Ordering::Relaxed)
    }

    /// A waiter for [`Next::take`]; made before the first look at the flag.
    pub(crate) fn waiter(&self) -> Notified<'_> {
        self.waiters.notified()
    }

    /// Resolves once the signal is raised, also when it was before.
    pub(crate) async fn raised(&self) {
        let waiter = self.waiters.notified();
        if !self.raised.load(Ordering::SeqCst) {
            waiter.await;
        }
    }
}

/// What a loop got from its stream.
pub(crate) enum Next<E> {
    /// An item, which is in the loop's hand.
    Taken,
    /// An error.
    Failed(E),
    /// The stream ended.
    Ended,
    /// The signal was raised; nothing was taken.
    Stopped,
}

/// Apart, since a loop that has work never comes here.
#[inline(never)]
fn await_stop(waiter: Pin<&mut Notified<'_>>, cx: &mut Context<'_>) -> Poll<()> {
    waiter.poll(cx)
}

/// Takes the next item of `stream` into `hand`, unless the signal is raised first (RUN-076).
///
/// Cancel safe where the stream is: nothing but the hand holds anything between polls.
#[expect(
    clippy::inline_always,
    reason = "one call in each loop; left to the compiler it cost a delivery 12 instructions"
)]
#[inline(always)]
pub(crate) fn poll_next<S, T, E>(
    stream: Pin<&mut S>,
    stop: &Stop,
    waiter: Pin<&mut Notified<'_>>,
    hand: &mut Option<T>,
    cx: &mut Context<'_>,
) -> Poll<Next<E>>
where
    S: Stream<Item = Result<T, E>>,
{
    if stop.is_raised() {
        return Poll::Ready(Next::Stopped);
    }
    match stream.poll_next(cx) {
        Poll::Ready(Some(Ok(item))) => {
            *hand = Some(item);
            Poll::Ready(Next::Taken)
        }
        Poll::Ready(Some(Err(error))) => Poll::Ready(Next::Failed(error)),
        Poll::Ready(None) => Poll::Ready(Next::Ended),
        Poll::Pending => await_stop(waiter, cx).map(|()| Next::Stopped),
    }
}
