use futures_core::Stream;

use crate::IncomingMessage;

/// An open subscription: a stream of deliveries.
///
/// Back-pressure is the stream's own: a delivery is handed over when it is polled for, and not
/// before.
pub trait Subscriber: Send {
    /// One delivery.
    type Message: IncomingMessage;

    /// What a delivery can fail with before it is one.
    type Error: std::error::Error + Send + Sync + 'static;

    /// The deliveries from here on.
    ///
    /// An `Err` item reports a failed delivery and does not end the stream by itself. The stream
    /// ends when the subscription is cancelled, the broker shut down, or the broker's own
    /// reconnection policy gave up.
    ///
    /// # Cancel safety
    ///
    /// Dropping the stream between polls loses nothing it had not yielded yet, and `stream` may be
    /// called again to continue. What is buffered between polls therefore lives behind this
    /// `&mut self`.
    fn stream(&mut self) -> impl Stream<Item = Result<Self::Message, Self::Error>> + Send + '_;
}
