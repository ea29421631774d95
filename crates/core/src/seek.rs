use crate::{IncomingMessage, Subscriber};

/// A subscription that can be moved to another position of its log.
pub trait Seekable: Subscriber {
    /// The handle that moves it.
    type Seeker: Seeker;

    /// A handle to move this subscription with.
    ///
    /// Taken before the stream borrows the subscriber; it works while the stream runs.
    fn seeker(&self) -> Self::Seeker;
}

/// Moves a live subscription.
///
/// A crate documents the reach of one seek: this consumer, or a cursor shared by its group.
pub trait Seeker: Clone + Send + Sync + 'static {
    /// A place in the log, as the broker spells it.
    type Position: Send;

    /// What a seek can fail with.
    ///
    /// To serve [`StartAt`](crate::StartAt) it is the error type of the connected form.
    type Error: std::error::Error + Send + Sync + 'static;

    /// Moves the subscription to `to`.
    ///
    /// The next delivery reflects the new position: what was queued before it is skipped.
    ///
    /// # Errors
    ///
    /// A position the log does not hold, with the subscription left where it was; a connection
    /// that was shut down.
    fn seek(&self, to: Self::Position) -> impl Future<Output = Result<(), Self::Error>> + Send;
}

/// A delivery that knows its own place in the log.
pub trait Positioned: IncomingMessage {
    /// A place in the log, as the broker spells it.
    type Position: Send;

    /// The position of this delivery: seeking to it redelivers exactly this message, then what
    /// follows it.
    fn position(&self) -> Self::Position;
}
