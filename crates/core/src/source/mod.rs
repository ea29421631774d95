mod buffered;
mod name;
mod start_at;
mod unnamed;

pub use buffered::Buffered;
pub use name::{FromName, Name};
pub use start_at::StartAt;
pub use unnamed::Unnamed;

#[cfg(feature = "asyncapi")]
use crate::bindings::Bindings;
use crate::{ConnectedBroker, CopyPath, DeclareRetryError, RetryDeclaration, Subscriber};

/// Describes one subscription and opens it on the connection `C`.
///
/// A source is configuration, resolved once at startup. For each registration the runtime calls
/// [`declare_retry_on`](Self::declare_retry_on), then
/// [`redelivery_address`](crate::RedeliveryAddressed::redelivery_address) where the copy path has
/// one, then [`declare_retry`](Self::declare_retry), then [`subscribe`](Self::subscribe). A source
/// may rely on both declarations preceding `subscribe`, not on their order.
///
/// # Writing a descriptor
///
/// Give the type an associated constructor (`ParcelQueue::new("inbound")`) and builder methods
/// that return `Self`, since the attribute macro reads the type out of that expression. Derive
/// `Clone`, because a mount rebuilds the descriptor for each registration. Implement
/// [`FromName`] when a name alone identifies the subscription, and
/// [`IntoSource`](crate::IntoSource).
///
/// ```
/// # use futures_core::Stream;
/// # use ruststream_core::{AckError, ConnectedBroker, HeaderMap, IncomingMessage, Subscriber};
/// # struct ConnectedCourier;
/// # impl ConnectedBroker for ConnectedCourier {
/// #     type Error = std::io::Error;
/// #     type Closed = ();
/// #     async fn shutdown(self) -> std::io::Result<()> { Ok(()) }
/// # }
/// # impl ConnectedCourier {
/// #     async fn open(&self, _: &str, _: u16) -> std::io::Result<Parcels> { Ok(Parcels) }
/// # }
/// # struct Parcel(HeaderMap);
/// # impl IncomingMessage for Parcel {
/// #     fn payload(&self) -> &[u8] { &[] }
/// #     fn headers(&self) -> &HeaderMap { &self.0 }
/// #     async fn ack(self) -> Result<(), AckError> { Ok(()) }
/// #     async fn nack(self, _: bool) -> Result<(), AckError> { Ok(()) }
/// # }
/// # struct Parcels;
/// # impl Subscriber for Parcels {
/// #     type Message = Parcel;
/// #     type Error = std::io::Error;
/// #     fn stream(&mut self) -> impl Stream<Item = std::io::Result<Parcel>> + Send + '_ {
/// #         futures_util::stream::empty()
/// #     }
/// # }
/// use ruststream_core::{
///     AddressedCopies, IntoSource, RedeliveryAddress, RedeliveryAddressed, SubscriptionSource,
/// };
///
/// #[derive(Debug, Clone)]
/// struct ParcelQueue {
///     name: String,
///     prefetch: u16,
/// }
///
/// impl ParcelQueue {
///     fn new(name: impl Into<String>) -> Self {
///         Self { name: name.into(), prefetch: 16 }
///     }
///
///     fn prefetch(mut self, prefetch: u16) -> Self {
///         self.prefetch = prefetch;
///         self
///     }
/// }
///
/// impl SubscriptionSource<ConnectedCourier> for ParcelQueue {
///     type Subscriber = Parcels;
///     type Copies = AddressedCopies;
///
///     fn name(&self) -> &str {
///         &self.name
///     }
///
///     async fn subscribe(self, connected: &ConnectedCourier) -> std::io::Result<Parcels> {
///         connected.open(&self.name, self.prefetch).await
///     }
/// }
///
/// // A publish to the queue's name reaches the queue again.
/// impl RedeliveryAddressed<ConnectedCourier> for ParcelQueue {
///     async fn redelivery_address(
///         &self,
///         _connected: &ConnectedCourier,
///     ) -> std::io::Result<RedeliveryAddress> {
///         Ok(RedeliveryAddress::new(self.name.clone()))
///     }
/// }
///
/// impl IntoSource for ParcelQueue {
///     type Source = Self;
///
///     fn into_source(self) -> Self {
///         self
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not open a subscription on `{C}`: name it, `.name(..)`, or mount a source of this broker",
    label = "cannot be opened on `{C}`",
    note = "a subscriber left unnamed takes its name at the mount site: `.name(\"..\")`",
    note = "a source belongs to its broker: mount it in a scope of the broker whose crate it comes from",
    note = "`.start_at(..)` needs a subscription that can seek to positions of that type"
)]
pub trait SubscriptionSource<C: ConnectedBroker> {
    /// The subscription this source opens.
    type Subscriber: Subscriber;

    /// Who publishes the retry copies of this subscription, and who addresses them.
    type Copies: CopyPath;

    /// The name that metadata, logs and the document report.
    fn name(&self) -> &str;

    /// Opens the subscription.
    ///
    /// # Errors
    ///
    /// What the broker refuses. The registration, and with it the startup, fails.
    fn subscribe(
        self,
        connected: &C,
    ) -> impl Future<Output = Result<Self::Subscriber, C::Error>> + Send;

    /// Takes what the registration declares about its retries.
    ///
    /// The provided method ignores it, which is right wherever the runtime publishes the copies.
    /// A descriptor with a native mechanism maps the declaration here, and only when
    /// [both](RetryDeclaration::both) of its halves are set.
    #[must_use]
    fn declare_retry(self, declaration: &RetryDeclaration) -> Self
    where
        Self: Sized,
    {
        let _ = declaration;
        self
    }

    /// Takes the same declaration together with the connection.
    ///
    /// Only a bare [`Name`] needs it, to hand the declaration to
    /// [`Subscribe::declare_retry`](crate::Subscribe::declare_retry).
    ///
    /// # Errors
    ///
    /// A declaration that cannot be honoured; the registration then refuses to start.
    fn declare_retry_on(
        &self,
        connected: &C,
        declaration: &RetryDeclaration,
    ) -> Result<(), DeclareRetryError> {
        let _ = (connected, declaration);
        Ok(())
    }

    /// What the document says about the channel, computed from this descriptor alone.
    #[cfg(feature = "asyncapi")]
    #[must_use]
    fn channel_bindings(&self) -> Bindings {
        Bindings::new()
    }

    /// What the document says about the `receive` operation, computed from this descriptor alone.
    #[cfg(feature = "asyncapi")]
    #[must_use]
    fn operation_bindings(&self) -> Bindings {
        Bindings::new()
    }

    /// What the document says about the messages, computed from this descriptor alone.
    #[cfg(feature = "asyncapi")]
    #[must_use]
    fn message_bindings(&self) -> Bindings {
        Bindings::new()
    }
}
