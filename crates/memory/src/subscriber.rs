//! The subscriber: a queue as a stream.

use std::convert::Infallible;
use std::fmt;
use std::marker::PhantomData;
use std::num::NonZeroUsize;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures_core::Stream;
use ruststream_core::{BatchSubscriber, Seekable, SpareBatch, Subscriber};

use crate::log_mode::{Discarding, LogMode, Retaining};
use crate::message::MemoryMessage;
use crate::name::Name;
use crate::reader::Reader;
use crate::registration::Registration;
use crate::seek::MemorySeeker;

/// A batch's buffer starts no larger than this, however large a batch was asked for.
const LARGEST_START: usize = 64 * 1024;

/// An open subscription of the in-memory broker.
///
/// It holds what was published since it opened and not read yet, without bound: a publish never
/// waits for a reader. Its streams never yield an error. They do not end when the bus is shut down
/// either: what was queued can still be read and settled, and after that the stream stays pending.
///
/// Dropping a stream loses nothing; the next one continues where it stopped. Dropping the
/// subscriber drops what it has not yielded and ends its registration.
pub struct MemorySubscriber<Log = Discarding> {
    name: Name,
    /// None for a name that can not be subscribed to, whose stream ends at once.
    reader: Option<Reader>,
    /// Nowhere, unless the reader of the batches asked for it.
    spare: SpareBatch<Vec<MemoryMessage<Log>>>,
    log: PhantomData<fn() -> Log>,
}

impl<Log> MemorySubscriber<Log> {
    pub(crate) fn new(registration: Registration) -> Self {
        Self {
            name: registration.name().clone(),
            reader: Some(Reader::new(registration)),
            spare: SpareBatch::default(),
            log: PhantomData,
        }
    }

    /// A subscriber whose streams end at once.
    pub(crate) fn ended(name: &str) -> Self {
        Self {
            name: Name::new(name),
            reader: None,
            spare: SpareBatch::default(),
            log: PhantomData,
        }
    }
}

impl<Log: LogMode> MemorySubscriber<Log> {
    #[inline]
    fn poll_message(&mut self, cx: &Context<'_>) -> Poll<Option<MemoryMessage<Log>>> {
        let Some(reader) = &mut self.reader else {
            return Poll::Ready(None);
        };
        let entry = ready!(reader.poll_next(cx.waker(), Log::REPLAYS));
        Poll::Ready(Some(MemoryMessage::new(
            entry,
            reader.registration().queue(),
        )))
    }

    /// A buffer with that much room.
    fn empty_batch(&self, room: usize) -> Vec<MemoryMessage<Log>> {
        let spare = self.spare.take().filter(|spare| spare.capacity() >= room);
        spare.unwrap_or_else(|| Vec::with_capacity(room))
    }

    #[inline]
    fn next_queued(&mut self) -> Option<MemoryMessage<Log>> {
        let reader = self.reader.as_mut()?;
        let entry = reader.next_queued(Log::REPLAYS)?;
        Some(MemoryMessage::new(entry, reader.registration().queue()))
    }
}

impl<Log: LogMode> Subscriber for MemorySubscriber<Log> {
    type Message = MemoryMessage<Log>;
    type Error = Infallible;

    fn stream(&mut self) -> impl Stream<Item = Result<Self::Message, Infallible>> + Send + '_ {
        Deliveries { subscriber: self }
    }
}

impl<Log: LogMode> BatchSubscriber for MemorySubscriber<Log> {
    type Batch = Vec<MemoryMessage<Log>>;

    /// Batches of what is queued, up to `size`: each waits for a first delivery and for no more.
    fn batches(
        &mut self,
        size: NonZeroUsize,
    ) -> impl Stream<Item = Result<Self::Batch, Infallible>> + Send + '_ {
        Batches {
            subscriber: self,
            size,
        }
    }

    fn spare_batch(&mut self) -> SpareBatch<Self::Batch> {
        if !self.spare.exists() {
            self.spare = SpareBatch::new();
        }
        self.spare.clone()
    }
}

impl Seekable for MemorySubscriber<Retaining> {
    type Seeker = MemorySeeker;

    /// The handle that repositions this subscription, before its stream is taken or while it runs.
    fn seeker(&self) -> MemorySeeker {
        match &self.reader {
            Some(reader) => {
                let registration = reader.registration();
                let bus = Arc::clone(registration.bus());
                MemorySeeker::new(self.name.clone(), bus, registration.queue())
            }
            None => MemorySeeker::of_delivery(Some(self.name.clone()), None),
        }
    }
}

impl<Log> fmt::Debug for MemorySubscriber<Log> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemorySubscriber")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

struct Deliveries<'a, Log> {
    subscriber: &'a mut MemorySubscriber<Log>,
}

impl<Log: LogMode> Stream for Deliveries<'_, Log> {
    type Item = Result<MemoryMessage<Log>, Infallible>;

    #[inline]
    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.subscriber
            .poll_message(cx)
            .map(|message| message.map(Ok))
    }
}

struct Batches<'a, Log> {
    subscriber: &'a mut MemorySubscriber<Log>,
    size: NonZeroUsize,
}

impl<Log: LogMode> Stream for Batches<'_, Log> {
    type Item = Result<Vec<MemoryMessage<Log>>, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Some(first) = ready!(self.subscriber.poll_message(cx)) else {
            return Poll::Ready(None);
        };
        let size = self.size.get();
        let mut batch = self.subscriber.empty_batch(size.min(LARGEST_START));
        batch.push(first);
        while batch.len() < size {
            let Some(message) = self.subscriber.next_queued() else {
                break;
            };
            batch.push(message);
        }
        Poll::Ready(Some(Ok(batch)))
    }
}
