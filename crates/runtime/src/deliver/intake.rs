//! What a driver reads: deliveries one by one, or batches of them.

use std::error::Error;
use std::num::NonZeroUsize;

use futures_core::Stream;
use ruststream_core::{BatchSubscriber, Subscriber};

/// An open subscription, read in items of one kind.
pub(crate) trait Intake: Send + 'static {
    type Item: Send + 'static;
    type Error: Error + Send;
    fn items(&mut self) -> impl Stream<Item = Result<Self::Item, Self::Error>> + Send + '_;
}

/// Deliveries one by one.
pub(crate) struct Singly<Sub>(pub(crate) Sub);

impl<Sub: Subscriber<Message: 'static> + 'static> Intake for Singly<Sub> {
    type Item = Sub::Message;
    type Error = Sub::Error;
    #[inline]
    fn items(&mut self) -> impl Stream<Item = Result<Sub::Message, Sub::Error>> + Send + '_ {
        self.0.stream()
    }
}

/// Batches of at most `size` deliveries, as the broker makes them (RUN-361).
pub(crate) struct InBatches<Sub> {
    pub(crate) subscriber: Sub,
    pub(crate) size: NonZeroUsize,
}

impl<Sub: BatchSubscriber<Batch: 'static> + 'static> Intake for InBatches<Sub> {
    type Item = Sub::Batch;
    type Error = Sub::Error;
    #[inline]
    fn items(&mut self) -> impl Stream<Item = Result<Sub::Batch, Sub::Error>> + Send + '_ {
        self.subscriber.batches(self.size)
    }
}
