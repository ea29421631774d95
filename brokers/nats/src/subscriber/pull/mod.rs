//! Reading a stream through a pull consumer.

mod batches;
mod consumer;
mod errand;
mod pace;
mod reading;
mod request;
mod status;

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use futures_core::Stream;
use futures_util::stream::poll_fn;

use self::batches::Batches;
use self::consumer::Consumer;
use self::reading::Deliveries;
use crate::connection::Connection;
use crate::error::NatsError;
use crate::message::NatsMessage;
use crate::source::JetStreamSubject;

/// Reads the deliveries of one consumer.
pub(crate) enum PullReader {
    Live(Box<Consumer>),
    #[cfg(feature = "testing")]
    InProcess(crate::in_process::StreamFeed),
}

impl PullReader {
    /// Creates the consumer, or updates the one of that name, and subscribes to an inbox for it.
    pub(crate) async fn open(
        connection: Arc<Connection>,
        source: JetStreamSubject,
    ) -> Result<Self, NatsError> {
        let consumer = Consumer::open(connection, source).await?;
        Ok(Self::Live(Box::new(consumer)))
    }

    /// One by one, from a continuous pull.
    pub(crate) fn deliveries(
        &mut self,
    ) -> impl Stream<Item = Result<NatsMessage, NatsError>> + Send + '_ {
        let mut deliveries = Deliveries::new();
        poll_fn(move |cx| match self {
            Self::Live(consumer) => deliveries.poll_next(consumer, cx),
            #[cfg(feature = "testing")]
            Self::InProcess(feed) => feed.poll_message(cx).map(|message| message.map(Ok)),
        })
    }

    /// In batches, each from one pull.
    pub(crate) fn batches(
        &mut self,
        size: NonZeroUsize,
    ) -> impl Stream<Item = Result<Vec<NatsMessage>, NatsError>> + Send + '_ {
        let mut batches = Batches::new(size, self.begin_batches());
        poll_fn(move |cx| match self {
            Self::Live(consumer) => batches.poll_next(consumer, cx),
            #[cfg(feature = "testing")]
            Self::InProcess(feed) => feed.poll_batch(size, cx).map(|batch| batch.map(Ok)),
        })
    }

    /// How long a batch waits.
    fn begin_batches(&mut self) -> Duration {
        match self {
            Self::Live(consumer) => {
                // A pull of another kind may be open still; a batch waits for none but its own.
                consumer.outstanding = 0;
                consumer.source.batch_expires()
            }
            #[cfg(feature = "testing")]
            Self::InProcess(_) => Duration::ZERO,
        }
    }
}
