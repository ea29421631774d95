//! Delayed redelivery: the timer between a `nack_after` and the copy's return.

use std::time::Duration;

use ruststream_core::AckError;
use thiserror::Error;
use tokio::runtime::Handle;

use crate::entry::Entry;
use crate::queue::QueueRef;

/// A delay was asked for where nothing can wait it out.
#[derive(Debug, Error)]
#[error(
    "no runtime to time a delayed redelivery on: connect the broker on a Tokio runtime, or settle \
     on one"
)]
struct NoRuntime;

/// A copy on its way back, which arrives whatever becomes of the timer.
///
/// It holds no handle of the bus, so a pending redelivery keeps neither bus nor log alive.
struct Returning {
    queue: QueueRef,
    entry: Option<Entry>,
}

impl Drop for Returning {
    fn drop(&mut self) {
        self.queue.requeue(&mut self.entry);
    }
}

/// Puts `entry` back into `queue` once `delay` is over.
pub(crate) fn after(delay: Duration, queue: QueueRef, mut entry: Entry) -> Result<(), AckError> {
    let timer = entry.ticket.release();
    let returning = Returning {
        queue,
        entry: Some(entry),
    };
    // Not the settling caller's runtime: a dispatch thread's own may stop before the delay is over.
    let Some(runtime) = queue.runtime().or_else(|| Handle::try_current().ok()) else {
        return Err(AckError::Broker(Box::new(NoRuntime)));
    };
    // The delay counts from now, by the clock it is timed with, which a test may have paused.
    let _clock = runtime.enter();
    timer.after(delay, move || drop(returning));
    Ok(())
}
