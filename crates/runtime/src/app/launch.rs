//! Starting a service under a test harness, step by step, and what the harness needs of it then.

use std::fmt;
use std::sync::Arc;

use ruststream_core::testing::InProcessConnect;

use super::broker::UnconnectedBroker;
use super::drain::{drain_continuations, drain_loops};
use super::error::RustStreamError;
use super::force::Force;
use super::hooks::{Hooks, Producer};
use super::plan::{OpenOnState, Plan, compose};
use super::registration::BoxError;
use super::running::RunningApp;
use super::{shutdown, startup};
use crate::docs::HandlerMetadata;
use crate::observe::{Attached, Connection, Facts, Observer, Transition};

/// A composed service in the hands of a harness.
#[doc(hidden)]
pub struct TestParts<State>(Plan<State>);

impl<State> TestParts<State> {
    pub(super) const fn new(plan: Plan<State>) -> Self {
        Self(plan)
    }

    /// The brokers in the order of their registration.
    pub fn brokers(&self) -> Vec<Facts> {
        self.0.brokers.iter().map(|broker| broker.facts()).collect()
    }

    /// How many subscriptions are mounted.
    pub fn subscribers(&self) -> usize {
        self.0.handlers.len()
    }

    /// Begins the start, of which `observer` sees everything. The producer makes the state that
    /// the service itself would have; it may be left unused.
    ///
    /// # Panics
    ///
    /// Outside of a Tokio runtime.
    pub fn launch(self, observer: Arc<dyn Observer>) -> (Launch<State>, StateProducer<State>) {
        let Plan {
            brokers,
            handlers,
            registrations,
            producer,
            hooks,
            mut settings,
            ..
        } = self.0;
        settings.observed = Attached::to(Arc::clone(&observer));
        let launch = Launch {
            app: RunningApp::new(&settings),
            observer,
            brokers,
            handlers,
            registrations,
            hooks,
        };
        (launch, StateProducer(producer))
    }
}

impl<State> fmt::Debug for TestParts<State> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TestParts")
            .field("brokers", &self.0.brokers.len())
            .field("subscribers", &self.0.handlers.len())
            .finish_non_exhaustive()
    }
}

/// Makes the state of a service.
#[doc(hidden)]
pub struct StateProducer<State>(Producer<State>);

impl<State> StateProducer<State> {
    /// Runs the service's `on_startup`.
    ///
    /// # Errors
    ///
    /// The hook's own.
    pub async fn produce(self) -> Result<State, BoxError> {
        (self.0)().await
    }
}

impl<State> fmt::Debug for StateProducer<State> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StateProducer").finish_non_exhaustive()
    }
}

/// A service that is being started. Dropped, it leaves no loop running.
#[doc(hidden)]
pub struct Launch<State> {
    app: RunningApp,
    observer: Arc<dyn Observer>,
    brokers: Vec<Box<dyn UnconnectedBroker>>,
    handlers: Vec<HandlerMetadata>,
    registrations: Vec<OpenOnState<State>>,
    hooks: Hooks<State>,
}

impl<State: Send + Sync + 'static> Launch<State> {
    /// Connects every broker, each by its transition, or by `connect` where it has none.
    ///
    /// # Errors
    ///
    /// The first that did not connect, with its place; those before it are connected.
    pub async fn connect(
        &mut self,
        transitions: &[Option<InProcessConnect>],
    ) -> Result<(), (usize, BoxError)> {
        let brokers = std::mem::take(&mut self.brokers);
        for (scope, broker) in brokers.into_iter().enumerate() {
            let transition = Transition(transitions.get(scope).copied().flatten());
            let live = broker.connect(transition).await;
            let live = live.map_err(|source| (scope, source))?;
            if let Ok(connection) = live.connection() {
                self.observer
                    .connected(scope, connection.origin, &*connection.connected);
            }
            self.app.push_connection(live);
        }
        Ok(())
    }

    /// The connections made so far, in the order of registration.
    pub fn connections(&self) -> Vec<Connection> {
        self.app.connections()
    }

    /// Opens the subscriptions and runs the `after_startup` hooks.
    ///
    /// # Errors
    ///
    /// [`RustStreamError::Subscribe`] or [`RustStreamError::Startup`]; all is taken down again then.
    pub async fn open(mut self, state: State) -> Result<Launched, RustStreamError> {
        let composed = compose(
            self.handlers,
            self.registrations,
            self.hooks,
            &Arc::new(state),
        );
        match startup::open(&mut self.app, composed).await {
            Ok(()) => Ok(Launched(self.app)),
            Err(error) => {
                unwind(self.app).await;
                Err(error)
            }
        }
    }

    /// Takes down what is up.
    pub async fn unwind(self) {
        unwind(self.app).await;
    }
}

/// As the unwinding of a start, with nothing of it told but to whoever debugs the test.
async fn unwind(mut app: RunningApp) {
    app.service.begin_stopping();
    app.service.stop().raise();
    if let Some(error) = drain_loops(&mut app, &mut Force::never()).await {
        tracing::debug!(target: "ruststream::testing", error = %error, "a loop failed");
    }
    drain_continuations(&app, &mut Force::never()).await;
    for broker in app.take_connections().into_iter().rev() {
        let name = broker.name().to_owned();
        if let Err(error) = broker.shutdown().await {
            tracing::debug!(
                target: "ruststream::testing",
                broker = name.as_str(), error = %error,
                "a broker did not close after a failed start"
            );
        }
    }
}

impl<State> fmt::Debug for Launch<State> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Launch").finish_non_exhaustive()
    }
}

/// A service under a harness. Dropped, it takes no further deliveries; no hook runs and no broker
/// is closed.
#[doc(hidden)]
#[derive(Debug)]
pub struct Launched(RunningApp);

impl Launched {
    /// The connections, in the order of registration.
    pub fn connections(&self) -> Vec<Connection> {
        self.0.connections()
    }

    /// Whether the stop signal is raised.
    pub fn is_stopping(&self) -> bool {
        self.0.service.stop().is_raised()
    }

    /// Why the service is tearing itself down.
    pub fn failure(&self) -> Option<&str> {
        self.0.service.failure()
    }

    /// Resolves once no continuation is outstanding.
    pub async fn drain(&self) {
        self.0.service.continuations().wait().await;
    }

    /// Stops the service in order, see [`RunningApp::shutdown`].
    ///
    /// # Errors
    ///
    /// As there, but a loop that panicked counts under a shutdown timeout too.
    pub async fn stop(self) -> Result<(), RustStreamError> {
        shutdown::stop_telling(self.0, &mut Force::never(), true).await
    }
}
