//! A registered broker without its type: connected at startup, shut down at the end.

use std::any::type_name;
use std::borrow::Cow;
use std::sync::{Arc, PoisonError};

use futures_core::future::BoxFuture;
use ruststream_core::{Broker, Connected, ConnectedBroker, ConnectedSlot};

use super::registration::BoxError;
use crate::observe::Transition;
#[cfg(feature = "testing")]
use crate::observe::{Connection, Facts};

/// A broker that waits to be connected.
pub(crate) trait UnconnectedBroker: Send {
    /// Connects it and leaves the connection in its slot, where registrations, hooks and tokens
    /// find it.
    fn connect(
        self: Box<Self>,
        transition: Transition,
    ) -> BoxFuture<'static, Result<Box<dyn LiveBroker>, BoxError>>;

    #[cfg(feature = "testing")]
    fn facts(&self) -> Facts;
}

/// A connected broker.
pub(crate) trait LiveBroker: Send + Sync {
    /// The label, or the broker's type.
    fn name(&self) -> &str;

    /// Empties the slot and shuts the connection down, which nothing else may hold any more.
    fn shutdown(self: Box<Self>) -> BoxFuture<'static, Result<(), BoxError>>;

    /// The connection, which cannot be shut down while this is held.
    #[cfg(feature = "testing")]
    fn connection(&self) -> Result<Connection, BoxError>;
}

/// Erases a broker.
pub(crate) fn registered<B: Broker + 'static>(
    label: Option<String>,
    broker: B,
    slot: ConnectedSlot<B>,
) -> Box<dyn UnconnectedBroker> {
    let name = label.map_or(Cow::Borrowed(type_name::<B>()), Cow::Owned);
    Box::new(Unconnected { name, broker, slot })
}

struct Unconnected<B: Broker> {
    name: Cow<'static, str>,
    broker: B,
    slot: ConnectedSlot<B>,
}

impl<B: Broker + 'static> UnconnectedBroker for Unconnected<B> {
    fn connect(
        self: Box<Self>,
        transition: Transition,
    ) -> BoxFuture<'static, Result<Box<dyn LiveBroker>, BoxError>> {
        let Self { name, broker, slot } = *self;
        Box::pin(async move {
            let connected = transition.connect(broker).await.inspect_err(|error| {
                // No error of its own: that is what the start answers.
                tracing::info!(
                    target: "ruststream::lifecycle",
                    broker = &*name, error = %error, "broker did not connect"
                );
            })?;
            fill::<B>(&slot, Some(Arc::new(connected)));
            Ok(Box::new(Live::<B> { name, slot }) as Box<dyn LiveBroker>)
        })
    }

    #[cfg(feature = "testing")]
    fn facts(&self) -> Facts {
        let label = match &self.name {
            Cow::Owned(label) => Some(label.clone()),
            Cow::Borrowed(_type_name) => None,
        };
        Facts::of::<B>(label)
    }
}

/// The connection itself is in the slot alone, so emptying the slot is all that unaliases it.
struct Live<B: Broker> {
    name: Cow<'static, str>,
    slot: ConnectedSlot<B>,
}

impl<B: Broker + 'static> LiveBroker for Live<B> {
    fn name(&self) -> &str {
        &self.name
    }

    fn shutdown(self: Box<Self>) -> BoxFuture<'static, Result<(), BoxError>> {
        Box::pin(async move {
            let connected = fill::<B>(&self.slot, None).ok_or(NotConnected)?;
            let connected = Arc::try_unwrap(connected)
                .map_err(|_shared| StillAliased(self.name.clone().into_owned()))?;
            connected.shutdown().await?;
            Ok(())
        })
    }

    #[cfg(feature = "testing")]
    fn connection(&self) -> Result<Connection, BoxError> {
        Ok(Connection::of::<B>(&connection::<B>(&self.slot)?))
    }
}

/// The connection in `slot`.
pub(crate) fn connection<B: Broker>(
    slot: &ConnectedSlot<B>,
) -> Result<Arc<Connected<B>>, BoxError> {
    // Only ever replaced whole, so a panic elsewhere cannot have left it half written.
    let connected = slot.lock().unwrap_or_else(PoisonError::into_inner).clone();
    Ok(connected.ok_or(NotConnected)?)
}

fn fill<B: Broker>(
    slot: &ConnectedSlot<B>,
    connected: Option<Arc<Connected<B>>>,
) -> Option<Arc<Connected<B>>> {
    std::mem::replace(
        &mut *slot.lock().unwrap_or_else(PoisonError::into_inner),
        connected,
    )
}

#[derive(Debug, thiserror::Error)]
#[error("the broker is not connected")]
struct NotConnected;

#[derive(Debug, thiserror::Error)]
#[error(
    "the connected broker `{0}` is still aliased at shutdown: something still holds its \
     connection, such as the unfinished pairing of a publisher; let it finish or drop it before \
     the service stops"
)]
struct StillAliased(String);
