//! The brokers of a service under test.

use std::any::{TypeId, type_name};
use std::fmt;

use ruststream_core::testing::{LivePublish, publish_live};
use ruststream_core::{
    Broker, Connected, DefaultPublish, OutgoingDestination, PublishPolicy, Publisher,
};
use ruststream_runtime::observe::Connection;
use ruststream_runtime::{HeadersUnset, MessageBody, PublishBuilder, UnnamedCodec, message_of};

use crate::assertions::{PublishedAssertions, SubscriberAssertions};
use crate::harness::Harness;
use crate::input::{InjectSink, Target};
use crate::rig::Rig;

/// The connected brokers from which a test makes the state of its service.
pub struct TestBrokers<'a> {
    harness: &'a Harness,
    connections: &'a [Connection],
}

impl<'a> TestBrokers<'a> {
    pub(crate) const fn new(harness: &'a Harness, connections: &'a [Connection]) -> Self {
        Self {
            harness,
            connections,
        }
    }
}

impl TestBrokers<'_> {
    /// The connected form of the service's only broker of type `B`.
    ///
    /// # Panics
    ///
    /// Where the service has none, or several.
    #[must_use]
    #[track_caller]
    pub fn broker<B: Broker + 'static>(&self) -> &B::Connected {
        let scope = scope_of_type::<B>(self.harness);
        let connection = self.connections.get(scope);
        let connected = connection.and_then(|connection| connection.connected.downcast_ref());
        let Some(connected) = connected else {
            panic!("the broker `{}` is not connected", type_name::<B>());
        };
        connected
    }
}

impl fmt::Debug for TestBrokers<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TestBrokers")
            .field("brokers", &self.connections.len())
            .finish_non_exhaustive()
    }
}

/// One broker of a service under test.
///
/// What it sends and what it answers is of this one registration: two brokers of one type, and
/// subscriptions of one name on two brokers, never mix.
pub struct BrokerHandle<'a> {
    rig: &'a Rig,
    scope: usize,
    live: Option<LivePublish>,
}

impl<'a> BrokerHandle<'a> {
    #[track_caller]
    pub(crate) fn of<B>(rig: &'a Rig) -> Self
    where
        B: Broker + 'static,
        Connected<B>: DefaultPublish,
        <<Connected<B> as DefaultPublish>::Policy as PublishPolicy<Connected<B>>>::Live: Publisher,
    {
        Self {
            rig,
            scope: scope_of_type::<B>(rig.harness()),
            live: Some(publish_live::<B>),
        }
    }

    #[track_caller]
    pub(crate) fn named(rig: &'a Rig, label: &str) -> Self {
        let brokers = rig.harness().brokers().iter();
        let labels: Vec<_> = brokers
            .map(|broker| broker.facts.label.as_deref())
            .collect();
        let Some(scope) = labels.iter().position(|known| *known == Some(label)) else {
            let known: Vec<&str> = labels.into_iter().flatten().collect();
            panic!("no broker labeled \"{label}\"; the labels are {known:?}");
        };
        Self::untyped(rig, scope)
    }

    pub(crate) const fn untyped(rig: &'a Rig, scope: usize) -> Self {
        Self {
            rig,
            scope,
            live: None,
        }
    }

    const fn target(&self) -> Target {
        Target::Broker {
            scope: self.scope,
            live: self.live,
        }
    }

    /// Starts a publish of `value` to this broker, with the builder that services use.
    ///
    /// The codec is the default one unless the call names another. The test's own errors are in
    /// [`PublishError::Publish`](ruststream_runtime::PublishError::Publish).
    pub fn message<'v, T>(
        &self,
        value: &'v T,
    ) -> PublishBuilder<InjectSink<'a>, MessageBody<'v, T>, UnnamedCodec, HeadersUnset, T::Form>
    where
        T: OutgoingDestination,
    {
        message_of(
            InjectSink::new(self.rig, self.target()),
            value,
            UnnamedCodec::new(),
        )
    }
}

#[cfg(any(feature = "json", feature = "cbor", feature = "msgpack"))]
impl BrokerHandle<'_> {
    /// Sends `value` under `name`, encoded by the default codec; for a type that declares no
    /// destination.
    ///
    /// # Errors
    ///
    /// [`TestError::Encode`](crate::TestError::Encode);
    /// [`TestError::ShutDown`](crate::TestError::ShutDown) once the service stops; live,
    /// [`TestError::Publish`](crate::TestError::Publish) for a message the broker refuses; then
    /// what waiting for the reaction fails with.
    ///
    /// # Panics
    ///
    /// In process, on a message that the server would refuse.
    pub async fn publish<T: serde::Serialize + Sync>(
        &self,
        name: &str,
        value: &T,
    ) -> Result<(), crate::TestError> {
        self.send(name, value, ruststream_core::HeaderMap::new())
            .await
    }

    /// As [`publish`](Self::publish), with headers: one for each field of `headers`, as typed
    /// header contracts are written.
    ///
    /// # Errors
    ///
    /// As there.
    pub async fn publish_with_headers<T, H>(
        &self,
        name: &str,
        value: &T,
        headers: &H,
    ) -> Result<(), crate::TestError>
    where
        T: serde::Serialize + Sync,
        H: serde::Serialize + Sync,
    {
        let mut map = ruststream_core::HeaderMap::new();
        map.insert_typed(headers)
            .map_err(|error| crate::TestError::Encode(error.to_string()))?;
        self.send(name, value, map).await
    }

    async fn send<T: serde::Serialize + Sync>(
        &self,
        name: &str,
        value: &T,
        headers: ruststream_core::HeaderMap,
    ) -> Result<(), crate::TestError> {
        use ruststream_core::codec::{Codec, DefaultCodec};

        let payload = DefaultCodec::default()
            .encode(value)
            .map_err(|error| crate::TestError::Encode(error.to_string()))?;
        let message = ruststream_core::OutgoingMessage::new(name, &payload).with_headers(headers);
        self.rig.send(self.target(), message).await
    }
}

impl BrokerHandle<'_> {
    /// What the subscriptions called `name` were handed.
    ///
    /// A name that nothing subscribes to is a view of nothing.
    #[must_use]
    pub fn subscriber(&self, name: &str) -> SubscriberAssertions<'_> {
        SubscriberAssertions::new(self.rig.harness(), self.scope, name.to_owned())
    }

    /// What was published under `name` until now.
    ///
    /// In process that is the broker's own log: whatever the transport took, by any publisher. Live
    /// it is what the test and the service's handlers published. A name that nothing was published
    /// to is a view of nothing.
    #[must_use]
    pub fn published<T>(&self, name: &str) -> PublishedAssertions<T> {
        let connection = self.rig.connection(self.scope);
        PublishedAssertions::under(self.rig.harness(), self.scope, name, connection.as_ref())
    }
}

impl fmt::Debug for BrokerHandle<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BrokerHandle")
            .field("broker", &self.rig.harness().broker_name(self.scope))
            .finish_non_exhaustive()
    }
}

#[track_caller]
fn scope_of_type<B: Broker + 'static>(harness: &Harness) -> usize {
    let brokers = harness.brokers().iter().enumerate();
    let mut of_type = brokers.filter(|(_, broker)| broker.facts.broker == TypeId::of::<B>());
    let name = type_name::<B>();
    let Some((scope, _)) = of_type.next() else {
        panic!("no registered broker of type {name}");
    };
    assert!(
        of_type.next().is_none(),
        "more than one broker of type {name}: register each with `with_broker_labeled`, and \
         address it with `broker_named(label)`"
    );
    scope
}
