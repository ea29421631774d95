//! Deliveries of both models.

mod core;
pub(crate) mod headers;
mod jetstream;

use std::fmt;
use std::time::Duration;

use ruststream::{AckError, HeaderMap, IncomingMessage, Partitioned, Settling};

pub use self::core::CoreMessage;
pub use self::jetstream::JetStreamMessage;
pub(crate) use self::jetstream::Settle;
use crate::ack::Answer;

/// The header that names the partition key of a message.
///
/// NATS has no partitions: the sender sets it, and keyed workers order by it.
pub const PARTITION_KEY_HEADER: &str = "nats-partition-key";

/// A delivery from NATS.
///
/// A JetStream delivery is settled on the server; a Core delivery cannot be, and says so with
/// [`AckError::Unsupported`]. What each settlement sends:
///
/// | call | JetStream | Core |
/// |---|---|---|
/// | `ack()` | `+ACK` | unsupported |
/// | `nack(true)` | `-NAK`: sent again at once | unsupported |
/// | `nack_after(d)` | `-NAK {"delay": ..}`: held for `d`, then sent again | unsupported |
/// | `nack(false)` | `+TERM`: never sent again | unsupported |
/// | dropped | nothing: sent again after the consumer's ack window | nothing |
///
/// # Cancel safety
///
/// A settlement is one frame handed to the client: `Ok` says that the client took it, not that the
/// server read it. A settlement future dropped before it is ready may have sent it or not.
pub enum NatsMessage {
    /// From a Core subject, or the reply to a request.
    Core(Box<CoreMessage>),
    /// From a consumer of a stream.
    JetStream(Box<JetStreamMessage>),
}

impl NatsMessage {
    async fn settle(self, answer: Answer) -> Result<(), AckError> {
        match self {
            Self::Core(_) => Err(AckError::Unsupported),
            Self::JetStream(message) => message.settle(answer).await,
        }
    }
}

impl IncomingMessage for NatsMessage {
    #[inline]
    fn payload(&self) -> &[u8] {
        match self {
            Self::Core(message) => message.payload(),
            Self::JetStream(message) => message.payload(),
        }
    }

    /// A Core delivery lists the subject to answer at as `reply-to`.
    #[inline]
    fn headers(&self) -> &HeaderMap {
        match self {
            Self::Core(message) => message.headers(),
            Self::JetStream(message) => message.headers(),
        }
    }

    /// The value of the header [`PARTITION_KEY_HEADER`].
    fn partition_key(&self) -> Option<&[u8]> {
        self.headers().get(PARTITION_KEY_HEADER)
    }

    /// The server's own counter on JetStream; `None` on Core.
    #[inline]
    fn redelivery_count(&self) -> Option<u64> {
        match self {
            Self::Core(_) => None,
            Self::JetStream(message) => message.redelivery_count(),
        }
    }

    async fn ack(self) -> Result<(), AckError> {
        self.settle(Answer::Done).await
    }

    async fn nack(self, requeue: bool) -> Result<(), AckError> {
        let answer = if requeue {
            Answer::Again
        } else {
            Answer::Never
        };
        self.settle(answer).await
    }

    #[inline]
    fn supports_nack_after(&self) -> bool {
        matches!(self, Self::JetStream(_))
    }

    /// The server holds the message for `delay`; nothing is published and no copy exists.
    ///
    /// A message that leaves its stream meanwhile, by age, does not come back.
    async fn nack_after(self, delay: Duration) -> Result<(), AckError> {
        self.settle(Answer::AgainAfter(delay)).await
    }

    /// A Core delivery has nothing to wait for.
    #[inline]
    fn settle_at_once(hand: &mut Option<Self>, _how: Settling) -> Option<Result<(), AckError>> {
        if !matches!(hand, Some(Self::Core(_))) {
            return None;
        }
        *hand = None;
        Some(Err(AckError::Unsupported))
    }
}

impl Partitioned for NatsMessage {
    fn partition_key(&self) -> Option<&[u8]> {
        IncomingMessage::partition_key(self)
    }
}

impl fmt::Debug for NatsMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Core(message) => f.debug_tuple("Core").field(message).finish(),
            Self::JetStream(message) => f.debug_tuple("JetStream").field(message).finish(),
        }
    }
}
