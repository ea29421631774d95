//! What a builder composed, without the types of its layers: all that a start needs.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_core::future::BoxFuture;
use ruststream_core::{Broker, Connected, ConnectedSlot, ServerSpec};

use super::broker::{UnconnectedBroker, connection, registered};
use super::health::SubscriptionEnd;
use super::hooks::{BoundHooks, Hooks, Producer};
use super::info::AppInfo;
use super::registration::{BoxError, DispatchLoop, Opening, Registration};
use super::scope::Scoped;
use super::service::Service;
use crate::docs::HandlerMetadata;
use crate::observe::{Attached, Scope};

/// A composed service that was not started.
pub(crate) struct Plan<State> {
    pub(crate) info: AppInfo,
    pub(crate) servers: BTreeMap<String, ServerSpec>,
    pub(crate) brokers: Vec<Box<dyn UnconnectedBroker>>,
    /// What is mounted, in order; one for each of `registrations`.
    pub(crate) handlers: Vec<HandlerMetadata>,
    pub(crate) registrations: Vec<OpenOnState<State>>,
    pub(crate) producer: Producer<State>,
    pub(crate) hooks: Hooks<State>,
    pub(crate) settings: Settings,
}

impl<State: Send + Sync + 'static> Plan<State> {
    /// Takes over a broker with what is mounted on it.
    pub(crate) fn adopt<B: Broker + 'static>(
        &mut self,
        label: Option<String>,
        scoped: Scoped<B, State>,
    ) {
        let Scoped {
            broker,
            slot,
            registrations,
            after_startup,
        } = scoped;
        let scope = Scope::nth(self.brokers.len());
        for mut registration in registrations {
            if let Some(label) = &label {
                registration.metadata.server = Some(label.clone().into());
            }
            self.handlers.push(registration.metadata.clone());
            self.registrations
                .push(on_connection::<B, State>(&slot, scope, registration));
        }
        self.hooks.after_startup.extend(after_startup);
        self.brokers.push(registered(label, broker, slot));
    }
}

/// The choices of a service that hold for all of its subscriptions.
#[derive(Debug, Clone, Default)]
pub(crate) struct Settings {
    pub(crate) shutdown_timeout: Option<Duration>,
    pub(crate) on_subscription_end: SubscriptionEnd,
    pub(crate) observed: Attached,
    #[cfg(feature = "poll-diagnostics")]
    pub(crate) poll_diagnostics: crate::PollDiagnostics,
}

/// Opens a registration on the connection of its broker.
pub(crate) type OpenOnState<State> = Box<
    dyn FnOnce(Arc<State>, Service) -> BoxFuture<'static, Result<DispatchLoop, BoxError>> + Send,
>;

/// [`OpenOnState`] with the state.
pub(crate) type Open =
    Box<dyn FnOnce(Service) -> BoxFuture<'static, Result<DispatchLoop, BoxError>> + Send>;

/// A service that has its state: nothing of the user's types is left.
pub(crate) struct Composed {
    pub(crate) handlers: Vec<HandlerMetadata>,
    pub(crate) registrations: Vec<Open>,
    pub(crate) hooks: BoundHooks,
}

/// Erases a registration of the broker whose connection will be in `slot`.
fn on_connection<B, State>(
    slot: &ConnectedSlot<B>,
    scope: Scope,
    registration: Registration<Connected<B>, State>,
) -> OpenOnState<State>
where
    B: Broker + 'static,
    State: Send + Sync + 'static,
{
    let slot = Arc::clone(slot);
    Box::new(move |state, service| {
        Box::pin(async move {
            let connected = connection::<B>(&slot)?;
            let observed = service.observed().clone();
            let open = registration.open(Opening {
                connected: &connected,
                state,
                service,
            });
            observed.opening(scope, open).await
        })
    })
}

/// Gives each registration and each hook its state.
pub(crate) fn compose<State>(
    handlers: Vec<HandlerMetadata>,
    registrations: Vec<OpenOnState<State>>,
    hooks: Hooks<State>,
    state: &Arc<State>,
) -> Composed
where
    State: Send + Sync + 'static,
{
    let bind = |open: OpenOnState<State>| {
        let state = Arc::clone(state);
        Box::new(move |service| open(state, service)) as Open
    };
    Composed {
        handlers,
        registrations: registrations.into_iter().map(bind).collect(),
        hooks: hooks.bind(state),
    }
}
