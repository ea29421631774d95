//! Open subscriptions.

mod core;
mod pull;

use std::fmt;
use std::num::NonZeroUsize;
use std::time::Duration;

use futures_core::Stream;
use futures_util::future::Either;
use ruststream::{BatchSubscriber, BufferedSubscriber, Subscriber};

pub(crate) use self::core::CoreReader;
pub(crate) use self::pull::PullReader;
use crate::error::NatsError;
use crate::message::NatsMessage;

/// An open subscription of either model.
///
/// [`stream`](Subscriber::stream) and [`batches`](BatchSubscriber::batches) may each be called
/// again once the stream before was dropped; nothing received is lost in between. Drive one at a
/// time.
///
/// # Order
///
/// Core deliveries come in the order the server sends them, JetStream deliveries in the order of
/// the consumer's sequence. A redelivery has no fixed place: what was fetched already is ahead of
/// it.
///
/// # What a subscription survives
///
/// The client reconnects by itself. A Core subscription hears what is published from then on; what
/// was published meanwhile is lost. A JetStream subscription resumes at its consumer's position, and
/// makes the consumer again if that is gone. A failed pull is yielded once as an error for each
/// cause and tried again, after 100 ms at first and every 5 s in the end. The stream ends when the connection was shut
/// down or drained, or the client gave up reconnecting.
///
/// # Batches
///
/// A Core batch is collected in this process and closes after the descriptor's `max_wait`. A
/// JetStream batch is one pull from the server, closed by the descriptor's `pull_expires`; what it
/// holds comes back after the consumer's ack window if the stream is dropped meanwhile.
pub struct NatsSubscriber {
    subject: String,
    kind: Kind,
    #[cfg(feature = "testing")]
    #[expect(dead_code, reason = "held for as long as the subscription is open")]
    recorded: Option<crate::openings::Recorded>,
}

enum Kind {
    Core(BufferedSubscriber<CoreReader>),
    JetStream { stream: String, reader: PullReader },
}

impl NatsSubscriber {
    pub(crate) fn core(subject: String, reader: CoreReader, max_wait: Duration) -> Self {
        Self {
            subject,
            kind: Kind::Core(BufferedSubscriber::new(reader).max_wait(max_wait)),
            #[cfg(feature = "testing")]
            recorded: None,
        }
    }

    pub(crate) const fn jetstream(subject: String, stream: String, reader: PullReader) -> Self {
        Self {
            subject,
            kind: Kind::JetStream { stream, reader },
            #[cfg(feature = "testing")]
            recorded: None,
        }
    }

    /// Keeps the live subscription among those a harness asks about.
    #[cfg(feature = "testing")]
    pub(crate) fn recorded(self, recorded: Option<crate::openings::Recorded>) -> Self {
        Self { recorded, ..self }
    }
}

impl Subscriber for NatsSubscriber {
    type Message = NatsMessage;
    type Error = NatsError;

    fn stream(&mut self) -> impl Stream<Item = Result<NatsMessage, NatsError>> + Send + '_ {
        match &mut self.kind {
            Kind::Core(reader) => Either::Left(reader.stream()),
            Kind::JetStream { reader, .. } => Either::Right(reader.deliveries()),
        }
    }
}

impl BatchSubscriber for NatsSubscriber {
    type Batch = Vec<NatsMessage>;

    fn batches(
        &mut self,
        size: NonZeroUsize,
    ) -> impl Stream<Item = Result<Vec<NatsMessage>, NatsError>> + Send + '_ {
        match &mut self.kind {
            Kind::Core(reader) => Either::Left(reader.batches(size)),
            Kind::JetStream { reader, .. } => Either::Right(reader.batches(size)),
        }
    }
}

impl fmt::Debug for NatsSubscriber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("NatsSubscriber");
        debug.field("subject", &self.subject);
        match &self.kind {
            Kind::Core(_) => debug.field("kind", &"core"),
            Kind::JetStream { stream, .. } => {
                debug.field("kind", &"jetstream").field("stream", stream)
            }
        };
        debug.finish_non_exhaustive()
    }
}
