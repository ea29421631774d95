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
use crate::subject::{LONGEST, fits_the_protocol, shown};

/// A frame for `subject`.
///
/// # Errors
///
/// As of [`destination`].
pub(crate) fn frame(
    subject: &str,
    payload: Bytes,
    headers: Option<HeaderMap>,
) -> Result<OutboundMessage, NatsError> {
    Ok(OutboundMessage {
        subject: destination(subject)?,
        reply: None,
        payload,
        headers,
    })
}

/// The subject that a publish goes to.
///
/// # Errors
///
/// A subject that is no destination. A pattern is one: the server takes its tokens literally.
#[inline]
fn destination(subject: &str) -> Result<Subject, NatsError> {
    if !fits_the_protocol(subject) {
        return Err(no_destination(subject));
    }
    Ok(Subject::from(subject))
}

#[cold]
fn no_destination(subject: &str) -> NatsError {
    NatsError::publish(format!(
        "`{}` is not a subject to publish to: it is empty, has whitespace, or is longer than \
         {LONGEST} bytes",
        shown(subject)
    ))
}
