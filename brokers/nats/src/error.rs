//! What can go wrong on NATS.

use std::error::Error;

use async_nats::jetstream;
use async_nats::jetstream::context::{PublishError as StreamPublishError, PublishErrorKind};
use thiserror::Error;

type BoxError = Box<dyn Error + Send + Sync>;

/// An operation on NATS that failed.
///
/// The boxed error is the client's own and stays reachable through
/// [`source`](std::error::Error::source). A publish tells by its variant whether the message was
/// ever sent: [`Publish`](Self::Publish) never left this process, [`JetStream`](Self::JetStream)
/// was refused, or not answered, by a stream.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum NatsError {
    /// The connection was not made: a bad address, no server, refused authentication, TLS.
    #[error("nats connect failed: {0}")]
    Connect(#[source] BoxError),

    /// A message was not sent, or a request found nobody to answer it.
    #[error("nats publish failed: {0}")]
    Publish(#[source] BoxError),

    /// A Core subscription was not opened.
    #[error("nats subscribe failed: {0}")]
    Subscribe(#[source] BoxError),

    /// A stream or a consumer refused, or did not answer.
    #[error("nats jetstream operation failed: {0}")]
    JetStream(#[source] BoxError),

    /// The connection could not be drained.
    #[error("nats shutdown failed: {0}")]
    Shutdown(#[source] BoxError),

    /// A request was not answered within its time.
    #[error("nats request was not answered in time")]
    RequestTimeout,

    /// The broker was shut down before this was asked of one of its handles.
    #[error("the nats broker is shut down: nothing can reach `{subject}` through it any more")]
    Closed {
        /// The subject that was to be reached.
        subject: String,
    },

    /// A descriptor that names no subscription.
    #[error("invalid nats subscription options: {0}")]
    InvalidOptions(String),
}

impl NatsError {
    pub(crate) fn connect(error: impl Into<BoxError>) -> Self {
        Self::Connect(error.into())
    }

    pub(crate) fn publish(error: impl Into<BoxError>) -> Self {
        Self::Publish(error.into())
    }

    pub(crate) fn subscribe(error: impl Into<BoxError>) -> Self {
        Self::Subscribe(error.into())
    }

    pub(crate) fn jetstream(error: impl Into<BoxError>) -> Self {
        Self::JetStream(error.into())
    }

    pub(crate) fn shutdown(error: impl Into<BoxError>) -> Self {
        Self::Shutdown(error.into())
    }

    pub(crate) fn closed(subject: &str) -> Self {
        Self::Closed {
            subject: subject.to_owned(),
        }
    }

    /// The stream answered a publish with an error; the client's type tells which.
    pub(crate) fn refused_by_stream(error: jetstream::Error) -> Self {
        let kind = match error.error_code() {
            jetstream::ErrorCode::STREAM_WRONG_LAST_MESSAGE_ID => {
                PublishErrorKind::WrongLastMessageId
            }
            jetstream::ErrorCode::STREAM_WRONG_LAST_SEQUENCE => PublishErrorKind::WrongLastSequence,
            _ => PublishErrorKind::Other,
        };
        Self::jetstream(StreamPublishError::with_source(kind, error))
    }

    /// A publish to a stream ended without the stream's answer.
    pub(crate) fn unanswered_by_stream(kind: PublishErrorKind) -> Self {
        Self::jetstream(StreamPublishError::new(kind))
    }
}
