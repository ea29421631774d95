use std::fmt;

#[cfg(feature = "asyncapi")]
use crate::bindings::Bindings;
use crate::{
    AddressedCopies, ConnectedBroker, DeclareRetryError, RedeliveryAddress, RedeliveryAddressed,
    RetryDeclaration, Seekable, Seeker, SubscriptionSource,
};

/// A source whose subscription begins at a position.
///
/// The inner source is opened and moved to the position before its subscriber is handed over, on
/// every startup. "Only when no cursor is stored yet" is an option of the broker's own descriptor.
///
/// Everything else is the inner source's: name, copies, retry declaration, redelivery address and
/// bindings.
#[derive(Clone)]
pub struct StartAt<S, P> {
    source: S,
    position: P,
}

impl<S, P> StartAt<S, P> {
    /// `source`, beginning at `position`.
    #[must_use]
    pub fn new(source: S, position: P) -> Self {
        Self { source, position }
    }

    /// Changes the inner source and keeps the position.
    #[must_use]
    pub fn map_inner<T>(self, f: impl FnOnce(S) -> T) -> StartAt<T, P> {
        StartAt {
            source: f(self.source),
            position: self.position,
        }
    }
}

impl<S, P> fmt::Debug for StartAt<S, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StartAt").finish_non_exhaustive()
    }
}

#[diagnostic::do_not_recommend]
impl<C, S, P> SubscriptionSource<C> for StartAt<S, P>
where
    C: ConnectedBroker,
    S: SubscriptionSource<C> + Send + Sync,
    S::Subscriber: Seekable,
    <S::Subscriber as Seekable>::Seeker: Seeker<Position = P, Error = C::Error>,
    P: Send,
{
    type Subscriber = <S as SubscriptionSource<C>>::Subscriber;
    type Copies = <S as SubscriptionSource<C>>::Copies;

    fn name(&self) -> &str {
        self.source.name()
    }

    async fn subscribe(self, connected: &C) -> Result<Self::Subscriber, C::Error> {
        let subscriber = self.source.subscribe(connected).await?;
        let seeker = subscriber.seeker();
        seeker.seek(self.position).await?;
        Ok(subscriber)
    }

    fn declare_retry(self, declaration: &RetryDeclaration) -> Self {
        self.map_inner(|source| source.declare_retry(declaration))
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
impl<C, S, P> RedeliveryAddressed<C> for StartAt<S, P>
where
    Self: SubscriptionSource<C, Copies = AddressedCopies>,
    C: ConnectedBroker,
    S: RedeliveryAddressed<C> + Send + Sync,
{
    fn redelivery_address(
        &self,
        connected: &C,
    ) -> impl Future<Output = Result<RedeliveryAddress, C::Error>> + Send {
        self.source.redelivery_address(connected)
    }
}
