//! A delivery, and what settling it does.

use std::fmt;
use std::future::{Future, poll_fn};
use std::marker::PhantomData;
use std::mem;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use ruststream_core::codec::give_back;
use ruststream_core::{
    AckError, Bytes, HeaderMap, IncomingMessage, Partitioned, Positioned, RawMessage, Settling, Str,
};

use crate::block::Block;
use crate::entry::{Entry, Message};
use crate::log_mode::{Discarding, LogMode, Retaining};
use crate::observe::Ticket;
use crate::position::MemoryPosition;
use crate::queue::QueueRef;
use crate::redelivery;
use crate::seek::MemorySeeker;

/// The header that names the partition key of a message, see
/// [`MemoryMessage`'s key](IncomingMessage::partition_key).
pub const PARTITION_KEY_HEADER: &str = "partition-key";

/// A delivery of the in-memory broker: one subscription's own copy of a message.
///
/// Only a settlement or [`into_raw`](Self::into_raw) consumes the copy. Dropped unsettled it goes
/// back to the end of its subscription's queue, as `nack(true)` would put it there; no runtime is
/// needed for that, and it is lost only if the subscriber is gone.
///
/// A settlement takes effect when its future is first polled and is complete then; a future dropped
/// before leaves the delivery unsettled. [`redelivery_count`](IncomingMessage::redelivery_count)
/// counts the hand-overs of this copy, so retries of another subscription do not show in it.
///
/// ```
/// use ruststream_core::{Broker, IncomingMessage, OutgoingMessage, Publisher, Subscriber};
/// use ruststream_memory::MemoryBroker;
/// # use futures_util::StreamExt;
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let broker = MemoryBroker::new();
/// let mut parcels = broker.subscribe("parcels");
/// broker.publisher().publish(OutgoingMessage::new("parcels", b"7"), None).await?;
///
/// let parcel = parcels.stream().next().await.expect("queued")?;
/// assert_eq!(parcel.redelivery_count(), Some(1));
/// parcel.nack(true).await?;
/// let again = parcels.stream().next().await.expect("back")?;
/// assert_eq!((again.payload(), again.redelivery_count()), (&b"7"[..], Some(2)));
/// again.ack().await?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
pub struct MemoryMessage<Log = Discarding> {
    /// Taken by whatever consumes the copy.
    entry: Option<Entry>,
    /// The way back; a reply has none.
    queue: Option<QueueRef>,
    log: PhantomData<fn() -> Log>,
}

impl<Log> MemoryMessage<Log> {
    #[inline]
    pub(crate) const fn new(entry: Entry, queue: QueueRef) -> Self {
        Self {
            entry: Some(entry),
            queue: Some(queue),
            log: PhantomData,
        }
    }

    /// A reply, which no subscription stands behind.
    pub(crate) const fn reply(message: Message) -> Self {
        Self {
            entry: Some(Entry::fresh(message, 0, Ticket::uncounted())),
            queue: None,
            log: PhantomData,
        }
    }

    /// The name the message was published to, also on a subscription by pattern.
    #[must_use]
    pub fn name(&self) -> &str {
        self.block().map_or("", |block| block.name.as_str())
    }

    /// Takes the message out of the delivery, which is then neither acknowledged nor put back.
    ///
    /// Payload and headers move out if nothing else holds the message; otherwise, and always for
    /// the name, they are copied.
    #[must_use]
    pub fn into_raw(mut self) -> RawMessage {
        let Some(entry) = self.entry.take() else {
            return RawMessage::new(Str::new(), Bytes::new());
        };
        let name = Str::from(entry.message.name.as_str());
        let own = match entry.message {
            Message::Own(block) => Ok(block),
            Message::Shared(block) => Arc::try_unwrap(block),
        };
        match own {
            Ok(block) => RawMessage::new(name, block.payload.freeze()).with_headers(block.headers),
            Err(block) => RawMessage::new(name, Bytes::copy_from_slice(&block.payload))
                .with_headers(block.headers.clone()),
        }
    }

    #[inline]
    fn block(&self) -> Option<&Block> {
        self.entry.as_ref().map(|entry| &*entry.message)
    }

    #[inline]
    fn consume(&mut self) {
        if let Some(Entry {
            message: Message::Own(block),
            ..
        }) = &mut self.entry
        {
            give_back(&mut block.payload);
        }
        self.entry = None;
    }

    #[inline]
    fn settle(&mut self, how: Settling) -> Result<(), AckError> {
        match how {
            Settling::Ack | Settling::Nack { requeue: false } => self.consume(),
            Settling::Nack { requeue: true } => self.requeue(),
            Settling::NackAfter(delay) if delay.is_zero() => self.requeue(),
            Settling::NackAfter(delay) => return self.hold_back(delay),
        }
        Ok(())
    }

    #[cold]
    fn hold_back(&mut self, delay: Duration) -> Result<(), AckError> {
        match (self.entry.take(), self.queue) {
            (Some(entry), Some(queue)) => redelivery::after(delay, queue, entry),
            _ => Ok(()),
        }
    }

    /// Dropped unsettled. Out of line: a settled message drops here too, and has nothing to do.
    #[inline(never)]
    fn let_go(&mut self) {
        self.requeue();
    }

    #[inline]
    fn requeue(&mut self) {
        match self.queue {
            Some(queue) => queue.requeue(&mut self.entry),
            None => self.consume(),
        }
    }
}

impl<Log: LogMode> IncomingMessage for MemoryMessage<Log> {
    #[inline]
    fn payload(&self) -> &[u8] {
        self.block().map_or(&[], |block| &block.payload)
    }

    #[inline]
    fn headers(&self) -> &HeaderMap {
        static NONE: HeaderMap = HeaderMap::new();
        self.block().map_or(&NONE, |block| &block.headers)
    }

    /// The value of the header [`PARTITION_KEY_HEADER`].
    fn partition_key(&self) -> Option<&[u8]> {
        self.headers().get(PARTITION_KEY_HEADER)
    }

    #[inline]
    fn redelivery_count(&self) -> Option<u64> {
        Some(
            self.entry
                .as_ref()
                .map_or(1, |entry| u64::from(entry.count)),
        )
    }

    // The settlements are poll functions because an async function would move the delivery once more.
    #[inline]
    fn ack(mut self) -> impl Future<Output = Result<(), AckError>> + Send {
        poll_fn(move |_| Poll::Ready(self.settle(Settling::Ack)))
    }

    #[inline]
    fn nack(mut self, requeue: bool) -> impl Future<Output = Result<(), AckError>> + Send {
        poll_fn(move |_| Poll::Ready(self.settle(Settling::Nack { requeue })))
    }

    #[inline]
    fn supports_nack_after(&self) -> bool {
        true
    }

    /// Puts the copy back after `delay`, on the runtime that the broker connected on; for a
    /// subscription opened without connecting, on the runtime this is called on.
    ///
    /// A runtime that ends before the delay puts the copy back at that moment.
    ///
    /// # Errors
    ///
    /// [`AckError::Broker`] if neither runtime exists. The copy is then back in the queue at once.
    ///
    /// # Panics
    ///
    /// The timer panics, inside its own task, on a runtime built without time; the copy comes back.
    #[inline]
    fn nack_after(mut self, delay: Duration) -> impl Future<Output = Result<(), AckError>> + Send {
        poll_fn(move |_| Poll::Ready(self.settle(Settling::NackAfter(delay))))
    }

    #[expect(
        clippy::inline_always,
        reason = "one call in each driver; left to the compiler it cost a delivery 10 instructions"
    )]
    #[inline(always)]
    fn settle_at_once(hand: &mut Option<Self>, how: Settling) -> Option<Result<(), AckError>> {
        let message = hand.as_mut()?;
        let answer = if how == Settling::Ack {
            message.consume();
            Ok(())
        } else {
            message.settle(how)
        };
        debug_assert!(message.entry.is_none(), "a settlement consumes the copy");
        // There is nothing in it, which the compiler does not see where it is dropped.
        mem::forget(hand.take());
        Some(answer)
    }
}

impl<Log: LogMode> Partitioned for MemoryMessage<Log> {
    fn partition_key(&self) -> Option<&[u8]> {
        IncomingMessage::partition_key(self)
    }
}

impl Positioned for MemoryMessage<Retaining> {
    type Position = MemoryPosition;

    /// [`MemoryPosition::Sequence`]; seeking there delivers exactly this message next.
    fn position(&self) -> MemoryPosition {
        MemoryPosition::Sequence(self.entry.as_ref().map_or(0, |entry| entry.position))
    }
}

impl MemoryMessage<Retaining> {
    /// The seeker of the subscription this was delivered on.
    pub(crate) fn seeker(&self) -> MemorySeeker {
        let name = self.block().map(|block| block.name.clone());
        MemorySeeker::of_delivery(name, self.queue)
    }
}

impl<Log> Drop for MemoryMessage<Log> {
    #[inline]
    fn drop(&mut self) {
        if self.entry.is_some() {
            self.let_go();
        }
    }
}

impl<Log> fmt::Debug for MemoryMessage<Log> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryMessage")
            .field("name", &self.block().map(|block| &block.name))
            .finish_non_exhaustive()
    }
}
