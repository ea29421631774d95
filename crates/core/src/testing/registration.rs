use std::any::{Any, TypeId};
use std::error::Error;
use std::fmt;
use std::marker::PhantomData;
use std::pin::Pin;

use super::{InProcess, TestableBroker};
use crate::{
    Broker, Connected, ConnectedBroker, DefaultPublish, OutgoingMessage, PublishPolicy, Publisher,
};

type BoxError = Box<dyn Error + Send + Sync>;
type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
type LivePublisher<B> =
    <<Connected<B> as DefaultPublish>::Policy as PublishPolicy<Connected<B>>>::Live;

/// The in-process transition of a type-erased broker.
#[doc(hidden)]
pub type InProcessConnect =
    fn(Box<dyn Any + Send>) -> BoxFuture<'static, Result<Box<dyn Any + Send>, BoxError>>;

/// Publishes a test's message on a type-erased live connection, by its default policy.
#[doc(hidden)]
pub type LivePublish = for<'m> fn(
    &'m (dyn Any + Send + Sync),
    OutgoingMessage<'m>,
) -> BoxFuture<'m, Result<(), BoxError>>;

type Resolve = for<'a> fn(&'a dyn Any) -> Option<&'a dyn TestableBroker>;

/// What the harness knows of a broker type: made by
/// [`register_testable_broker!`](crate::register_testable_broker).
pub struct TestableRegistration {
    registered: TypeId,
    name: fn() -> &'static str,
    transition: Option<InProcessConnect>,
    live: Option<LivePublish>,
    resolve: Resolve,
}

inventory::collect!(TestableRegistration);

impl TestableRegistration {
    /// The registration of the broker `B`.
    #[must_use]
    pub const fn of<B>() -> Self
    where
        B: InProcess + 'static,
        B::Connected: DefaultPublish,
        <<B::Connected as DefaultPublish>::Policy as PublishPolicy<B::Connected>>::Live: Publisher,
    {
        Self {
            registered: TypeId::of::<B>(),
            name: std::any::type_name::<B>,
            transition: Some(connect_in_process::<B>),
            live: Some(publish_live::<B>),
            resolve: resolve::<B::Connected>,
        }
    }

    /// The registration of a broker by its connected form, which ordinary `connect` yields.
    #[doc(hidden)]
    #[must_use]
    pub const fn of_connected<C>() -> Self
    where
        C: ConnectedBroker + TestableBroker,
    {
        Self {
            registered: TypeId::of::<C>(),
            name: std::any::type_name::<C>,
            transition: None,
            live: None,
            resolve: resolve::<C>,
        }
    }

    /// The registration of a broker: by its own type, else by its connected form.
    #[doc(hidden)]
    pub fn find(broker: TypeId, connected: TypeId) -> Option<&'static Self> {
        let registered = |as_type| {
            inventory::iter::<Self>
                .into_iter()
                .find(|registration| registration.registers(as_type))
        };
        registered(broker).or_else(|| registered(connected))
    }

    #[doc(hidden)]
    #[must_use]
    pub fn registers(&self, broker: TypeId) -> bool {
        self.registered == broker
    }

    /// The way to the in-process transport; none where ordinary `connect` leads there.
    #[doc(hidden)]
    #[must_use]
    pub fn transition(&self) -> Option<InProcessConnect> {
        self.transition
    }

    /// How a live test publishes; none where the connected form has no default policy.
    #[doc(hidden)]
    #[must_use]
    pub fn live(&self) -> Option<LivePublish> {
        self.live
    }

    /// The view of a connected form; none if it is of another broker.
    #[doc(hidden)]
    pub fn resolve<'a>(&self, any: &'a dyn Any) -> Option<&'a dyn TestableBroker> {
        (self.resolve)(any)
    }
}

impl fmt::Debug for TestableRegistration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TestableRegistration")
            .field("registered", &(self.name)())
            .finish_non_exhaustive()
    }
}

fn connect_in_process<B: InProcess + 'static>(
    broker: Box<dyn Any + Send>,
) -> BoxFuture<'static, Result<Box<dyn Any + Send>, BoxError>> {
    Box::pin(async move {
        let broker = broker
            .downcast::<B>()
            .map_err(|_| OtherBroker(std::any::type_name::<B>()))?;
        let connected = broker.connect_in_process().await?;
        Ok(Box::new(connected) as Box<dyn Any + Send>)
    })
}

/// The [`LivePublish`] of a broker.
#[doc(hidden)]
pub fn publish_live<'m, B>(
    connected: &'m (dyn Any + Send + Sync),
    message: OutgoingMessage<'m>,
) -> BoxFuture<'m, Result<(), BoxError>>
where
    B: Broker,
    B::Connected: DefaultPublish,
    LivePublisher<B>: Publisher,
{
    Box::pin(async move {
        let connected = connected
            .downcast_ref::<Connected<B>>()
            .ok_or(OtherBroker(std::any::type_name::<B>()))?;
        publish_by_default(connected, message).await
    })
}

async fn publish_by_default<C>(connected: &C, message: OutgoingMessage<'_>) -> Result<(), BoxError>
where
    C: DefaultPublish,
    <C::Policy as PublishPolicy<C>>::Live: Publisher,
{
    let publisher = C::Policy::default().pair(connected).await?;
    let (name, payload, of_the_message) = message.into_parts();
    let headers = match publisher.base_headers() {
        None => of_the_message,
        Some(base) => {
            let mut headers = base.clone();
            headers.overwrite_with(of_the_message);
            headers
        }
    };
    let message = OutgoingMessage::new(name, payload).with_headers(headers);
    publisher.publish(message, None).await?;
    Ok(())
}

fn resolve<C: TestableBroker + 'static>(connected: &dyn Any) -> Option<&dyn TestableBroker> {
    let connected = connected.downcast_ref::<C>()?;
    Some(connected)
}

#[derive(Debug, thiserror::Error)]
#[error("a registration of the broker `{0}` was asked for another broker's connection")]
struct OtherBroker(&'static str);

/// Finds out, from a concrete type, which of the two forms it is.
///
/// The inherent constant is taken where its bounds hold, else the trait's, which exists for every
/// type; so a type that is neither is asked to be a broker, and told what that takes.
#[doc(hidden)]
#[derive(Debug)]
pub struct Registered<T>(PhantomData<fn() -> T>);

impl<C: ConnectedBroker + TestableBroker> Registered<C> {
    #[doc(hidden)]
    pub const FORM: ConnectedForm = ConnectedForm;
}

#[doc(hidden)]
pub trait AnyForm {
    const FORM: BrokerForm = BrokerForm;
}

impl<T> AnyForm for Registered<T> {}

#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct ConnectedForm;

impl ConnectedForm {
    #[must_use]
    pub const fn registration<C: ConnectedBroker + TestableBroker>(self) -> TestableRegistration {
        TestableRegistration::of_connected::<C>()
    }
}

#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct BrokerForm;

impl BrokerForm {
    #[must_use]
    pub const fn registration<B>(self) -> TestableRegistration
    where
        B: InProcess + 'static,
        B::Connected: DefaultPublish,
        LivePublisher<B>: Publisher,
    {
        TestableRegistration::of::<B>()
    }
}

/// Makes a broker known to the test harness.
///
/// Called at module scope of a broker crate, under its `testing` feature, once for every concrete
/// type. It names either the broker, which implements [`InProcess`](crate::testing::InProcess), or
/// a connected form that is a [`TestableBroker`](crate::testing::TestableBroker); a broker
/// registered by its connected form is connected by its ordinary `connect`.
///
/// ```
/// # use ruststream_core::testing::{Coordinator, TestableBroker};
/// # use ruststream_core::{ConnectedBroker, OutgoingMessage, RawMessage};
/// struct ConnectedCourier;
/// # impl ConnectedBroker for ConnectedCourier {
/// #     type Error = std::io::Error;
/// #     type Closed = ();
/// #     async fn shutdown(self) -> std::io::Result<()> { Ok(()) }
/// # }
///
/// impl TestableBroker for ConnectedCourier {
///     // ..
/// #     fn install_coordinator(&self, _: Coordinator) {}
/// #     fn inject(&self, _: OutgoingMessage<'_>) {}
/// #     fn published(&self, _: &str) -> Vec<RawMessage> { Vec::new() }
/// }
///
/// ruststream_core::register_testable_broker!(ConnectedCourier);
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! register_testable_broker {
    ($broker:ty) => {
        $crate::inventory::submit! {
            {
                #[allow(unused_imports)]
                use $crate::testing::AnyForm as _;
                $crate::testing::Registered::<$broker>::FORM.registration::<$broker>()
            }
        }
    };
}
