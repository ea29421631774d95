use std::any::{Any, TypeId, type_name};
use std::error::Error;
use std::sync::Arc;

use ruststream_core::pairing::Origin;
use ruststream_core::testing::InProcessConnect;
use ruststream_core::{Broker, Connected};

type BoxError = Box<dyn Error + Send + Sync>;

/// Which broker of its application a registration belongs to: the number of those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Scope(pub(crate) usize);

impl Scope {
    pub(crate) const fn nth(brokers_before: usize) -> Self {
        Self(brokers_before)
    }
}

/// How a broker is connected: by its own `connect`, or to the transport that a test runs it on.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Transition(pub(crate) Option<InProcessConnect>);

impl Transition {
    pub(crate) async fn connect<B>(self, broker: B) -> Result<Connected<B>, BoxError>
    where
        B: Broker + 'static,
    {
        let Some(transition) = self.0 else {
            return Ok(broker.connect().await?);
        };
        let connected = transition(Box::new(broker)).await?;
        match connected.downcast::<Connected<B>>() {
            Ok(connected) => Ok(*connected),
            Err(_other) => Err(Box::new(OtherConnection(type_name::<Connected<B>>()))),
        }
    }
}

/// TEST-71.
#[derive(Debug, thiserror::Error)]
#[error("the broker's in-process transition did not yield its connected form `{0}`")]
struct OtherConnection(&'static str);

/// What can be told of a broker whose type is erased.
#[derive(Debug, Clone)]
pub struct Facts {
    /// The label it was registered under.
    pub label: Option<String>,
    /// Its type.
    pub broker: TypeId,
    /// The name of its type.
    pub type_name: &'static str,
    /// The type of its connected form.
    pub connected: TypeId,
}

impl Facts {
    pub(crate) fn of<B: Broker + 'static>(label: Option<String>) -> Self {
        Self {
            label,
            broker: TypeId::of::<B>(),
            type_name: type_name::<B>(),
            connected: TypeId::of::<Connected<B>>(),
        }
    }
}

/// A connection whose type is erased. The broker cannot be shut down while one is held.
#[derive(Clone)]
pub struct Connection {
    /// The connected form.
    pub connected: Arc<dyn Any + Send + Sync>,
    /// Its identity.
    pub origin: Origin,
}

impl Connection {
    pub(crate) fn of<B: Broker + 'static>(connected: &Arc<Connected<B>>) -> Self {
        Self {
            origin: Origin::of(connected),
            connected: Arc::clone(connected) as Arc<dyn Any + Send + Sync>,
        }
    }
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use ruststream_core::ConnectedBroker;

    use super::*;

    #[derive(Debug)]
    struct Depot;

    #[derive(Debug)]
    struct ConnectedDepot;

    impl Broker for Depot {
        type Error = io::Error;
        type Connected = ConnectedDepot;

        async fn connect(self) -> io::Result<ConnectedDepot> {
            Ok(ConnectedDepot)
        }
    }

    impl ConnectedBroker for ConnectedDepot {
        type Error = io::Error;
        type Closed = ();

        async fn shutdown(self) -> io::Result<()> {
            Ok(())
        }
    }

    // TEST-71
    #[tokio::test]
    async fn a_transition_that_yields_another_type_is_an_error() {
        let other: InProcessConnect =
            |_| Box::pin(async { Ok(Box::new(7_u32) as Box<dyn Any + Send>) });
        let refused = Transition(Some(other)).connect(Depot).await.unwrap_err();
        assert!(refused.to_string().contains("ConnectedDepot"), "{refused}");
        Transition::default().connect(Depot).await.unwrap();
    }
}
