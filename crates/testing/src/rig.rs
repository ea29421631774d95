//! A service under test, without the type of its state.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use ruststream_core::testing::{InProcessConnect, TestError};
use ruststream_core::{OutgoingMessage, RawMessage};
use ruststream_runtime::observe::{Connection, Observer};
use ruststream_runtime::{Launch, Launched, RustStreamError, StateProducer, TestParts};

use crate::brokers::TestBrokers;
use crate::harness::{Harness, Mode};
use crate::input::Target;

/// A service that is being started.
pub(crate) struct Starting<State> {
    launch: Launch<State>,
    harness: Arc<Harness>,
    transitions: Vec<Option<InProcessConnect>>,
    subscribers: usize,
}

impl<State: Send + Sync + 'static> Starting<State> {
    /// Looks every broker up, which fails before anything of the service runs.
    pub(crate) fn new(
        parts: TestParts<State>,
        mode: Mode,
    ) -> Result<(Self, StateProducer<State>), TestError> {
        let harness = Harness::new(parts.brokers(), mode);
        let transitions = harness.transitions()?;
        let subscribers = parts.subscribers();
        let (launch, producer) = parts.launch(Arc::clone(&harness) as _);
        let starting = Self {
            launch,
            harness,
            transitions,
            subscribers,
        };
        Ok((starting, producer))
    }

    /// Connects the brokers; takes those that did down again where one does not.
    pub(crate) async fn connect(mut self) -> Result<Self, TestError> {
        let Err((scope, source)) = self.launch.connect(&self.transitions).await else {
            return Ok(self);
        };
        self.launch.unwind().await;
        let broker = self.harness.broker_name(scope).to_owned();
        Err(TestError::Connect { broker, source })
    }

    /// The state that the test makes of the connected brokers.
    pub(crate) fn state<F>(&self, build: F) -> State
    where
        F: FnOnce(&TestBrokers<'_>) -> State,
    {
        let connections = self.launch.connections();
        build(&TestBrokers::new(&self.harness, &connections))
    }

    /// Opens the subscriptions and runs the startup hooks.
    pub(crate) async fn open(self, state: State) -> Result<Rig, TestError> {
        match self.launch.open(state).await {
            Ok(app) => Ok(Rig {
                app: Some(app),
                harness: self.harness,
                subscribers: self.subscribers,
            }),
            Err(RustStreamError::Subscribe(source)) => Err(TestError::Subscribe(source)),
            Err(RustStreamError::Startup(source)) => Err(TestError::Startup(source)),
            Err(other) => Err(TestError::Startup(Box::new(other))),
        }
    }
}

pub(crate) struct Rig {
    /// Present until the shutdown.
    app: Option<Launched>,
    harness: Arc<Harness>,
    subscribers: usize,
}

impl Rig {
    pub(crate) const fn harness(&self) -> &Arc<Harness> {
        &self.harness
    }

    pub(crate) const fn subscribers(&self) -> usize {
        self.subscribers
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.app.as_ref().is_none_or(Launched::is_stopping)
    }

    pub(crate) fn failure(&self) -> Option<String> {
        self.app.as_ref()?.failure().map(str::to_owned)
    }

    /// The one broker there is.
    pub(crate) fn sole_scope(&self) -> Result<usize, TestError> {
        match self.harness.brokers() {
            [_] => Ok(0),
            _ => Err(TestError::Ambiguous),
        }
    }

    /// The connection of a broker, which cannot be shut down while it is held.
    pub(crate) fn connection(&self, scope: usize) -> Option<Connection> {
        self.app.as_ref()?.connections().into_iter().nth(scope)
    }

    /// Sends the test's own message and waits for the reaction (TEST-20).
    pub(crate) async fn send(
        &self,
        target: Target,
        message: OutgoingMessage<'_>,
    ) -> Result<(), TestError> {
        let (scope, typed) = match target {
            Target::Sole => (self.sole_scope()?, None),
            Target::Broker { scope, live } => (scope, live),
        };
        if self.is_stopping() {
            return Err(TestError::ShutDown);
        }
        let connection = self.connection(scope).ok_or(TestError::ShutDown)?;
        let payload = Bytes::copy_from_slice(message.payload());
        let sent = RawMessage::new(message.name().to_owned(), payload)
            .with_headers(message.headers().clone());

        let from = self.harness.next_moment();
        match self.harness.mode() {
            Mode::InProcess => match self.harness.testable(scope, &connection) {
                Some(broker) => broker.inject(message),
                None => return Err(self.harness.no_transport(scope)),
            },
            Mode::Live { .. } => {
                let untyped = || self.harness.live_publish(scope);
                let publish = typed
                    .or_else(untyped)
                    .ok_or_else(|| self.harness.no_transport(scope))?;
                let published = publish(&*connection.connected, message).await;
                published.map_err(|source| TestError::Publish {
                    broker: self.harness.broker_name(scope).to_owned(),
                    source,
                })?;
            }
        }
        drop(connection);
        let until = self.harness.next_moment();

        if let Some(hooks) = self.harness.published_by_test(scope, sent, from, until) {
            hooks.await;
        }
        self.settle().await
    }

    pub(crate) async fn settle(&self) -> Result<(), TestError> {
        let settled = match self.harness.mode() {
            Mode::InProcess => self.harness.rest().await,
            Mode::Live { deadline } => {
                let connections = self.app.as_ref().map(Launched::connections);
                let connections = connections.unwrap_or_default();
                self.harness.settle_live(&connections, deadline).await
            }
        };
        self.harness.hooks().raise();
        settled
    }

    pub(crate) async fn advance(&self, by: Duration) -> Result<(), TestError> {
        match self.harness.mode() {
            Mode::InProcess => tokio::time::advance(by).await,
            Mode::Live { .. } => tokio::time::sleep(by).await,
        }
        self.harness.coordinator().fire_due_timers().await;
        self.settle().await
    }

    pub(crate) async fn drain(&self) {
        if let Some(app) = &self.app {
            app.drain().await;
        }
    }

    pub(crate) async fn shutdown(&mut self) -> Result<(), RustStreamError> {
        let stopped = match self.app.take() {
            Some(app) => app.stop().await,
            None => Ok(()),
        };
        self.harness.hooks().close().await;
        self.harness.hooks().raise();
        stopped
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        // The loops end first, so that none of them starts another hook.
        drop(self.app.take());
        self.harness.hooks().abandon();
        if !std::thread::panicking() {
            self.harness.hooks().raise();
        }
    }
}
