//! What a handler can ask about a delivery from a stream.
//!
//! Bodies read it by the keys of [`keys`]. A delivery from a Core subject has none of it, so one
//! body mounts on both models and finds `None` there.
//!
//! ```
//! use ruststream::Field;
//! use ruststream_nats::context::{JetStreamContext, keys};
//!
//! fn is_first(context: &JetStreamContext) -> bool {
//!     keys::DELIVERED.get(context) == Some(1)
//! }
//! assert!(!is_first(&JetStreamContext::default()));
//! ```

pub mod keys;

use async_nats::Subject;
use ruststream::{BuildBatchContext, BuildContext, Subscriber};

use crate::ack::DeliveryInfo;
use crate::message::NatsMessage;
use crate::subscriber::NatsSubscriber;

/// What the server says about one delivery.
///
/// It borrows nothing from the delivery. `Default` is the context of a Core delivery, where every
/// key reads `None`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JetStreamContext {
    told: Option<Told>,
}

/// What the server says about the subscription of a batch.
///
/// It is read from the batch's first delivery, and has what all of its deliveries share: the names
/// of the stream and the consumer. A key of one delivery does not apply to it:
///
/// ```compile_fail,E0277
/// use ruststream::Field;
/// use ruststream_nats::context::{JetStreamBatchContext, keys};
///
/// fn delivered(context: &JetStreamBatchContext) {
///     keys::DELIVERED.get(context);
/// }
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JetStreamBatchContext {
    told: Option<Told>,
}

/// An ack subject, read once.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Told {
    ack_subject: Subject,
    /// Where in it the stream's name begins and ends; the consumer's follows a dot, to its end.
    stream: (usize, usize),
    consumer_end: usize,
    delivered: i64,
    stream_sequence: u64,
    consumer_sequence: u64,
    pending: u64,
}

impl Told {
    fn of(message: &NatsMessage) -> Option<Self> {
        let NatsMessage::JetStream(message) = message else {
            return None;
        };
        let ack_subject = message.ack_subject()?;
        let told = DeliveryInfo::parse(ack_subject)?;
        let stream_end = told.names_at + told.stream.len();
        Some(Self {
            ack_subject: ack_subject.clone(),
            stream: (told.names_at, stream_end),
            consumer_end: stream_end + 1 + told.consumer.len(),
            delivered: told.delivered,
            stream_sequence: told.stream_sequence,
            consumer_sequence: told.consumer_sequence,
            pending: told.pending,
        })
    }

    fn stream(&self) -> &str {
        &self.ack_subject[self.stream.0..self.stream.1]
    }

    fn consumer(&self) -> &str {
        &self.ack_subject[self.stream.1 + 1..self.consumer_end]
    }
}

impl BuildContext<NatsMessage> for JetStreamContext {
    fn build(msg: &NatsMessage) -> Self {
        Self {
            told: Told::of(msg),
        }
    }
}

impl BuildBatchContext<NatsMessage> for JetStreamBatchContext {
    fn build(first: &NatsMessage) -> Self {
        Self {
            told: Told::of(first),
        }
    }
}

const _: () = {
    const fn builds<Context: BuildContext<<NatsSubscriber as Subscriber>::Message>>() {}
    builds::<JetStreamContext>();
};
