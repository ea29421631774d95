//! Repositioning a subscription in the log of its name.

use std::fmt;
use std::sync::Arc;

use ruststream_core::Seeker;

use crate::bus::Bus;
use crate::error::MemoryError;
use crate::name::Name;
use crate::position::MemoryPosition;
use crate::queue::QueueRef;

/// Repositions one subscription of a retaining broker.
///
/// It acts on the subscription instance it was taken from, from any thread and at any time; other
/// subscriptions of the name do not move. Once [`seek`](Seeker::seek) returned `Ok`, the next
/// delivery reflects it: what was queued is skipped, what the log holds from the target on is
/// delivered as if new, and then what is published. Deliveries already handed out are not recalled.
/// One of them that is put back after a seek past it is skipped too.
///
/// A seek of a subscription whose subscriber is gone moves nothing.
///
/// ```
/// use futures_util::StreamExt;
/// use ruststream_core::{
///     IncomingMessage, OutgoingMessage, Publisher, Seekable, Seeker, Subscriber, nonzero,
/// };
/// use ruststream_memory::{MemoryBroker, MemoryPosition, Retention};
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
///
/// let broker = MemoryBroker::retaining(Retention::Messages(nonzero!(256)));
/// broker.publisher().publish(OutgoingMessage::new("parcels", b"before"), None).await?;
///
/// let mut parcels = broker.subscribe("parcels");
/// parcels.seeker().seek(MemoryPosition::start()).await?;
/// let parcel = parcels.stream().next().await.expect("replayed")?;
/// assert_eq!(parcel.payload(), b"before");
/// parcel.ack().await?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
#[derive(Clone)]
pub struct MemorySeeker {
    name: Name,
    /// None once the subscriber is gone, of which a delivery may be left.
    subscription: Option<(Arc<Bus>, QueueRef)>,
}

impl MemorySeeker {
    pub(crate) fn new(name: Name, bus: Arc<Bus>, queue: QueueRef) -> Self {
        Self {
            name,
            subscription: Some((bus, queue)),
        }
    }

    /// The seeker of the subscription that a delivery came from.
    pub(crate) fn of_delivery(name: Option<Name>, queue: Option<QueueRef>) -> Self {
        Self {
            name: name.unwrap_or_else(|| Name::new("")),
            subscription: queue.and_then(|queue| Some((queue.bus()?, queue))),
        }
    }
}

impl Seeker for MemorySeeker {
    type Position = MemoryPosition;
    type Error = MemoryError;

    /// Moves the subscription to `to`, resolved against the log as it is now.
    ///
    /// A number past the newest message means the next publish.
    ///
    /// # Errors
    ///
    /// [`MemoryError::PositionEvicted`] for a message that is no longer retained and
    /// [`MemoryError::ShutDown`] on a shut-down bus; the subscription does not move.
    ///
    /// # Cancel safety
    ///
    /// The seek is done when the future is first polled, and not at all before.
    async fn seek(&self, to: MemoryPosition) -> Result<(), MemoryError> {
        match &self.subscription {
            Some((bus, queue)) => bus.seek(&self.name, *queue, to),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for MemorySeeker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemorySeeker")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
