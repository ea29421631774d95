use std::error::Error;
use std::io;
use std::time::Duration;

/// Why a delivery could not be settled.
///
/// # Examples
///
/// ```
/// use ruststream_core::AckError;
///
/// let gone = std::io::Error::from(std::io::ErrorKind::ConnectionReset);
/// let refused = AckError::from(gone);
/// assert!(refused.retryable());
/// assert!(!AckError::Unsupported.retryable());
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AckError {
    /// The transport settles nothing of this kind for this delivery.
    ///
    /// It is the honest answer wherever an `Ok` would promise what the transport cannot keep.
    #[error("the transport does not support this settlement")]
    Unsupported,

    /// The broker rejected the settlement, or could not be reached.
    #[error("the broker did not take the settlement: {0}")]
    Broker(#[source] Box<dyn Error + Send + Sync>),

    /// The broker did not confirm the settlement in time.
    #[error("the broker did not confirm the settlement in time")]
    Timeout,
}

/// How a delivery is settled.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settling {
    /// [`ack`](crate::IncomingMessage::ack).
    Ack,
    /// [`nack`](crate::IncomingMessage::nack).
    Nack {
        /// Whether it comes again.
        requeue: bool,
    },
    /// [`nack_after`](crate::IncomingMessage::nack_after).
    NackAfter(Duration),
}

impl AckError {
    /// A rejection by the broker, with its own error as the source.
    #[must_use]
    pub fn broker(source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Broker(source.into())
    }

    /// Whether the same settlement might succeed if tried again: a hint for logs and metrics.
    ///
    /// `false` for [`Unsupported`](Self::Unsupported) alone.
    #[must_use]
    pub const fn retryable(&self) -> bool {
        !matches!(self, Self::Unsupported)
    }
}

/// A [`TimedOut`](io::ErrorKind::TimedOut) error is a [`Timeout`](AckError::Timeout), every other
/// one a rejection.
impl From<io::Error> for AckError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::TimedOut => Self::Timeout,
            _ => Self::broker(error),
        }
    }
}
