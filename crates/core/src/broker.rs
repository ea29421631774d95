use crate::Bindable;

/// A message broker before it is connected: configuration, and the way to a connection.
///
/// The lifecycle is a ladder of three types, each consumed by the step to the next: the broker
/// itself, its [`Connected`](Broker::Connected) form, and what
/// [`shutdown`](ConnectedBroker::shutdown) leaves behind. A call in the wrong state has no value
/// to be made on.
///
/// # Contract
///
/// - Constructing a broker is synchronous, does no I/O and needs no async runtime.
/// - All network work happens in [`connect`](Broker::connect), which the runtime calls once, at
///   startup.
/// - Every task the broker starts for itself runs on the runtime it connected on: take
///   `tokio::runtime::Handle::current()` inside `connect` and spawn through it. Callers publish,
///   settle and seek from other runtimes too, some of which stop right after the call.
///
/// # Examples
///
/// ```
/// use ruststream_core::{Broker, ConnectedBroker};
///
/// struct Courier {
///     url: String,
/// }
///
/// struct ConnectedCourier {
///     url: String,
/// }
///
/// impl Broker for Courier {
///     type Error = std::io::Error;
///     type Connected = ConnectedCourier;
///
///     async fn connect(self) -> Result<ConnectedCourier, std::io::Error> {
///         Ok(ConnectedCourier { url: self.url })
///     }
/// }
///
/// impl ConnectedBroker for ConnectedCourier {
///     type Error = std::io::Error;
///     type Closed = ();
///
///     async fn shutdown(self) -> Result<(), std::io::Error> {
///         drop(self.url);
///         Ok(())
///     }
/// }
/// ```
pub trait Broker: Send + Sync + Sized {
    /// What connecting can fail with.
    type Error: std::error::Error + Send + Sync + 'static;

    /// The connected form, which holds the live client.
    type Connected: ConnectedBroker;

    /// Connects to the server.
    ///
    /// # Errors
    ///
    /// An unreachable server, refused authentication and invalid configuration, each within a
    /// bounded time.
    fn connect(self) -> impl Future<Output = Result<Self::Connected, Self::Error>> + Send;

    /// Makes this broker one that publishers of other brokers' handlers can be bound to.
    ///
    /// See [`Bindable`]. There is no reason to override it.
    #[must_use]
    fn bindable(self) -> Bindable<Self>
    where
        Self: 'static,
    {
        Bindable::new(self)
    }
}

/// A broker with a live connection.
///
/// The connected form never asks itself whether it is connected: it holds the client directly.
/// What outlives it (a publisher, a clone, an open transaction) shares that client and has to
/// answer with an error once [`shutdown`](ConnectedBroker::shutdown) ran, promptly and never with
/// success.
pub trait ConnectedBroker: Send + Sync + Sized + 'static {
    /// What the operations of the connection can fail with.
    type Error: std::error::Error + Send + Sync + 'static;

    /// What is left after the shutdown: diagnostics as plain data, or `()`.
    type Closed: Send;

    /// Closes the connection.
    ///
    /// An acknowledgement or a publish that completed before the call holds afterwards. The call
    /// neither blocks the thread nor panics, and returns within a bounded time.
    ///
    /// # Errors
    ///
    /// Every teardown step that can fail happens here and reports here.
    fn shutdown(self) -> impl Future<Output = Result<Self::Closed, Self::Error>> + Send;
}

/// The connected form of the broker `B`.
pub type Connected<B> = <B as Broker>::Connected;
