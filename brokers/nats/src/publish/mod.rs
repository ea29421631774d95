//! Publishing over both models, and requests.

mod core;
mod jetstream;
mod options;
mod policy;
mod steps;

pub use self::core::{NatsPublish, NatsPublisher};
pub use self::jetstream::{JetStreamPublish, JetStreamPublisher};
pub use self::options::JetStreamOptions;
pub use self::policy::NatsPublishPolicy;
pub use self::steps::JetStreamPublishSteps;

use async_nats::message::OutboundMessage;
use async_nats::{HeaderMap, Subject};
use bytes::Bytes;

use crate::error::NatsError;
use crate::subject::fits_the_protocol;

/// A frame for `subject`.
///
/// # Errors
///
/// A subject that is no destination. A pattern is one: the server takes its tokens literally.
pub(crate) fn frame(
    subject: &str,
    payload: Bytes,
    headers: Option<HeaderMap>,
) -> Result<OutboundMessage, NatsError> {
    if !fits_the_protocol(subject) {
        return Err(NatsError::publish(format!(
            "`{}` is not a subject to publish to: it is empty or has whitespace",
            subject.escape_debug()
        )));
    }
    Ok(OutboundMessage {
        subject: Subject::from(subject),
        reply: None,
        payload,
        headers,
    })
}
