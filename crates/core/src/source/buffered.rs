use std::time::Duration;

use crate::batch::DEFAULT_MAX_WAIT;
#[cfg(feature = "asyncapi")]
use crate::bindings::Bindings;
use crate::{
    AddressedCopies, BufferedSubscriber, ConnectedBroker, DeclareRetryError, RedeliveryAddress,
    RedeliveryAddressed, RetryDeclaration, SubscriptionSource,
};

/// A source whose subscription collects batches on the client.
///
/// Wrap a source in it when its subscriber yields single deliveries and the handler wants a slice:
/// the subscription opened is a [`BufferedSubscriber`] around the inner one. Everything else is the
/// inner source's: name, copies, retry declaration, redelivery address and bindings.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use ruststream_core::{Buffered, Name};
///
/// let readings = Buffered::new(Name::new("readings")).max_wait(Duration::from_millis(25));
/// # let _ = readings;
/// ```
#[derive(Debug, Clone)]
pub struct Buffered<S> {
    source: S,
    max_wait: Duration,
}

impl<S> Buffered<S> {
    /// Collects the deliveries of `source`, closing a partial batch after 10 ms.
    #[must_use]
    pub fn new(source: S) -> Self {
        Self {
            source,
            max_wait: DEFAULT_MAX_WAIT,
        }
    }

    /// How long a partial batch stays open, counted from its first delivery.
    ///
    /// [`Duration::ZERO`] means "what is ready now": see [`BufferedSubscriber::max_wait`].
    #[must_use]
    pub fn max_wait(mut self, max_wait: Duration) -> Self {
        self.max_wait = max_wait;
        self
    }
}

#[diagnostic::do_not_recommend]
impl<C, S> SubscriptionSource<C> for Buffered<S>
where
    C: ConnectedBroker,
    S: SubscriptionSource<C> + Send + Sync,
    S::Subscriber: Send,
{
    type Subscriber = BufferedSubscriber<<S as SubscriptionSource<C>>::Subscriber>;
    type Copies = <S as SubscriptionSource<C>>::Copies;

    fn name(&self) -> &str {
        self.source.name()
    }

    async fn subscribe(self, connected: &C) -> Result<Self::Subscriber, C::Error> {
        let inner = self.source.subscribe(connected).await?;
        Ok(BufferedSubscriber::new(inner).max_wait(self.max_wait))
    }

    fn declare_retry(mut self, declaration: &RetryDeclaration) -> Self {
        self.source = self.source.declare_retry(declaration);
        self
    }

    fn declare_retry_on(
        &self,
        connected: &C,
        declaration: &RetryDeclaration,
    ) -> Result<(), DeclareRetryError> {
        self.source.declare_retry_on(connected, declaration)
    }

    #[cfg(feature = "asyncapi")]
    fn channel_bindings(&self) -> Bindings {
        self.source.channel_bindings()
    }

    #[cfg(feature = "asyncapi")]
    fn operation_bindings(&self) -> Bindings {
        self.source.operation_bindings()
    }

    #[cfg(feature = "asyncapi")]
    fn message_bindings(&self) -> Bindings {
        self.source.message_bindings()
    }
}

#[diagnostic::do_not_recommend]
impl<C, S> RedeliveryAddressed<C> for Buffered<S>
where
    Self: SubscriptionSource<C, Copies = AddressedCopies>,
    C: ConnectedBroker,
    S: RedeliveryAddressed<C> + Send + Sync,
    S::Subscriber: Send,
{
    fn redelivery_address(
        &self,
        connected: &C,
    ) -> impl Future<Output = Result<RedeliveryAddress, C::Error>> + Send {
        self.source.redelivery_address(connected)
    }
}
