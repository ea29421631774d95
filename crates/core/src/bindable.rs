use std::any::type_name;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

#[cfg(feature = "asyncapi")]
use crate::bindings::Bindings;
use crate::{Broker, Connected, ConnectedBroker, PairError, PublishPolicy};

/// The place in which the runtime leaves a broker's connection for the tokens minted from it.
///
/// Filled once the broker is connected, emptied before it is shut down.
#[doc(hidden)]
pub type ConnectedSlot<B> = Arc<Mutex<Option<Arc<Connected<B>>>>>;

/// A broker whose publishers can be handed to handlers of other brokers.
///
/// [`bind`](Self::bind) mints a [`Bound`] token from a policy of this broker; the token is then a
/// policy in any scope. Tokens are minted before the registration, and the order in which brokers
/// are registered does not matter, so two of these make a bridge in both directions.
///
/// # Examples
///
/// ```
/// # use ruststream_core::{Broker, ConnectedBroker, PairError, PublishPolicy};
/// # struct AuditBroker;
/// # struct Connected;
/// # impl Broker for AuditBroker {
/// #     type Error = std::io::Error;
/// #     type Connected = Connected;
/// #     async fn connect(self) -> std::io::Result<Connected> { Ok(Connected) }
/// # }
/// # impl ConnectedBroker for Connected {
/// #     type Error = std::io::Error;
/// #     type Closed = ();
/// #     async fn shutdown(self) -> std::io::Result<()> { Ok(()) }
/// # }
/// # struct Publish;
/// # impl PublishPolicy<Connected> for Publish {
/// #     type Live = ();
/// #     async fn pair(self, _: &Connected) -> Result<(), PairError> { Ok(()) }
/// # }
/// let audit = AuditBroker.bindable();
/// let to_audit = audit.bind(Publish);
/// // Register `audit` with the application, and use `to_audit` as a policy in any broker's scope.
/// # let _ = to_audit;
/// ```
pub struct Bindable<B: Broker> {
    broker: B,
    slot: ConnectedSlot<B>,
}

impl<B: Broker + 'static> Bindable<B> {
    /// The same as `broker.bindable()`.
    #[must_use]
    pub fn new(broker: B) -> Self {
        Self {
            broker,
            slot: ConnectedSlot::<B>::default(),
        }
    }

    /// The broker.
    #[must_use]
    pub fn broker(&self) -> &B {
        &self.broker
    }

    /// A token that publishes by `source` on this broker, wherever it is mounted.
    #[must_use]
    pub fn bind<S>(&self, source: S) -> Bound<B, S>
    where
        S: PublishPolicy<Connected<B>>,
    {
        Bound {
            policy: source,
            slot: Arc::clone(&self.slot),
        }
    }
}

impl<B: Broker + fmt::Debug> fmt::Debug for Bindable<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bindable")
            .field("broker", &self.broker)
            .finish_non_exhaustive()
    }
}

/// A publish policy bound to the broker it was minted from.
///
/// As a policy it ignores the broker of the scope and pairs with its own. Clones pair one publisher
/// each, on the one connection.
pub struct Bound<B2: Broker, S> {
    policy: S,
    slot: ConnectedSlot<B2>,
}

impl<B2, S> Bound<B2, S>
where
    B2: Broker + 'static,
    S: PublishPolicy<Connected<B2>>,
{
    /// The live publisher, from the `after_startup` hooks on.
    ///
    /// # Errors
    ///
    /// The token's broker is not connected (not registered, not started yet, or shut down), or the
    /// policy could not be paired.
    pub async fn live(self) -> Result<S::Live, PairError> {
        let connected = self.connected()?;
        self.policy.pair(&connected).await
    }

    fn connected(&self) -> Result<Arc<Connected<B2>>, PairError> {
        // Only ever replaced whole, so a panic elsewhere cannot have left it half written.
        let slot = self.slot.lock().unwrap_or_else(PoisonError::into_inner);
        let connected = slot
            .clone()
            .ok_or_else(|| PairError::new(NotConnected(type_name::<B2>())))?;
        #[cfg(feature = "testing")]
        crate::pairing::pairs_against(&connected);
        Ok(connected)
    }
}

#[derive(Debug, thiserror::Error)]
#[error(
    "the token's broker `{0}` is not connected: register its `Bindable` with the application, and \
     use the token between startup and shutdown"
)]
struct NotConnected(&'static str);

impl<B2: Broker, S: fmt::Debug> fmt::Debug for Bound<B2, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bound")
            .field("policy", &self.policy)
            .finish_non_exhaustive()
    }
}

impl<B2: Broker + 'static, S: Clone> Clone for Bound<B2, S> {
    fn clone(&self) -> Self {
        Self {
            policy: self.policy.clone(),
            slot: Arc::clone(&self.slot),
        }
    }
}

impl<C, B2, S> PublishPolicy<C> for Bound<B2, S>
where
    C: ConnectedBroker,
    B2: Broker + 'static,
    S: PublishPolicy<Connected<B2>> + Send,
{
    type Live = <S as PublishPolicy<<B2 as Broker>::Connected>>::Live;

    async fn pair(self, _connected: &C) -> Result<Self::Live, PairError> {
        self.live().await
    }

    #[cfg(feature = "asyncapi")]
    fn channel_bindings(&self, channel: &str) -> Bindings {
        self.policy.channel_bindings(channel)
    }

    #[cfg(feature = "asyncapi")]
    fn operation_bindings(&self, channel: &str) -> Bindings {
        self.policy.operation_bindings(channel)
    }

    #[cfg(feature = "asyncapi")]
    fn message_bindings(&self, channel: &str) -> Bindings {
        self.policy.message_bindings(channel)
    }

    #[cfg(feature = "asyncapi")]
    fn reply_address_location(&self) -> Option<&'static str> {
        self.policy.reply_address_location()
    }
}

/// What an application registers: a broker, or a [`Bindable`] one.
pub trait BrokerRegistration {
    /// The broker that is registered.
    type Broker: Broker + 'static;

    #[doc(hidden)]
    fn into_parts(self) -> (Self::Broker, ConnectedSlot<Self::Broker>);
}

impl<B: Broker + 'static> BrokerRegistration for B {
    type Broker = B;

    fn into_parts(self) -> (B, ConnectedSlot<B>) {
        Bindable::new(self).into_parts()
    }
}

impl<B: Broker + 'static> BrokerRegistration for Bindable<B> {
    type Broker = B;

    fn into_parts(self) -> (B, ConnectedSlot<B>) {
        (self.broker, self.slot)
    }
}
