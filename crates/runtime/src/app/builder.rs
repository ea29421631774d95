//! The builder of a service.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use ruststream_core::codec::Codec;
use ruststream_core::{Broker, BrokerRegistration, ConnectedSlot, DescribeServer, ServerSpec};

use super::broker::registered;
use super::error::RustStreamError;
use super::health::SubscriptionEnd;
use super::hooks::{self, Hooks, chained, no_state};
use super::info::AppInfo;
use super::plan::{Plan, Settings};
use super::running::RunningApp;
use super::scope::BrokerScope;
use super::{run, startup};
use crate::docs::HandlerMetadata;
use crate::layers::{Identity, Stack};
use crate::publish::{PublishIdentity, PublishLayer, PublishStack};

/// The phase of a builder in which layers and the state are named.
#[derive(Debug, Clone, Copy, Default)]
pub struct Setup;

/// The phase of a builder from its first mounted broker on.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wired;

/// A service in the making: what it says about itself, its layers, its state, its brokers and what
/// is mounted on them.
///
/// Layers and state come first, then the brokers: `layer`, `publish_layer` and `on_startup` don't
/// exist any more once a broker is mounted, because what is mounted depends on them. Building
/// touches no network and needs no async runtime.
///
/// ```
/// use std::convert::Infallible;
/// use std::time::Duration;
///
/// use ruststream_core::Broker;
/// use ruststream_runtime::layers::TracingLayer;
/// use ruststream_runtime::{App, AppInfo, RustStream};
///
/// struct Depot { city: String }
///
/// fn depot(broker: impl Broker + 'static) -> impl App {
///     RustStream::new(AppInfo::new("depot", "1.4.0"))
///         .layer(TracingLayer::default())
///         .on_startup(async |()| Ok::<_, Infallible>(Depot { city: "Bern".into() }))
///         .shutdown_timeout(Duration::from_secs(20))
///         .with_broker(broker, |scope| {
///             // scope.include(handler);
/// #           let _ = scope;
///         })
///         .on_shutdown(async |state| {
///             println!("{} closes", state.city);
///             Ok::<_, Infallible>(())
///         })
/// }
/// ```
pub struct RustStream<Layers = Identity, State = (), Pipeline = PublishIdentity, Phase = Wired> {
    layers: Layers,
    pipeline: Pipeline,
    plan: Plan<State>,
    phase: PhantomData<fn() -> Phase>,
}

impl<Layers, State, Pipeline, Phase> RustStream<Layers, State, Pipeline, Phase> {
    pub(crate) fn into_plan(self) -> Plan<State> {
        self.plan
    }

    fn map_plan(self, step: impl FnOnce(&mut Plan<State>)) -> Self {
        let mut app = self;
        step(&mut app.plan);
        app
    }
}

impl<Layers: Send, State: Send + Sync + 'static, Pipeline, Phase>
    RustStream<Layers, State, Pipeline, Phase>
{
    /// Runs the service until the process is told to end, see [`App::run`](crate::App::run).
    ///
    /// # Errors
    ///
    /// The step of the start or of the stop that failed, or the failure that tore the service down.
    pub async fn run(self) -> Result<(), RustStreamError> {
        run::run(self.plan).await
    }

    /// Runs the service until `shutdown` resolves, see
    /// [`App::run_until`](crate::App::run_until).
    ///
    /// # Errors
    ///
    /// The step of the start or of the stop that failed, or the failure that tore the service down.
    pub async fn run_until<F>(self, shutdown: F) -> Result<(), RustStreamError>
    where
        F: Future<Output = ()> + Send,
    {
        run::run_until(self.plan, shutdown).await
    }

    /// Starts the service and hands it to the caller, see [`App::start`](crate::App::start).
    ///
    /// # Errors
    ///
    /// The step of the start that failed.
    pub async fn start(self) -> Result<RunningApp, RustStreamError> {
        startup::start(self.plan).await
    }
}

impl RustStream<Identity, (), PublishIdentity, Setup> {
    /// A service with neither layers nor state nor brokers.
    #[must_use]
    pub fn new(info: AppInfo) -> Self {
        Self {
            layers: Identity,
            pipeline: PublishIdentity,
            plan: Plan {
                info,
                servers: BTreeMap::new(),
                brokers: Vec::new(),
                handlers: Vec::new(),
                registrations: Vec::new(),
                producer: no_state(),
                hooks: Hooks::new(),
                settings: Settings::default(),
            },
            phase: PhantomData,
        }
    }
}

impl<Layers, State, Pipeline> RustStream<Layers, State, Pipeline, Setup> {
    /// Wraps every single-message handler of the service in `layer`; the layer added first is
    /// outermost.
    #[must_use]
    pub fn layer<N>(self, layer: N) -> RustStream<Stack<N, Layers>, State, Pipeline, Setup> {
        RustStream {
            layers: Stack::new(layer, self.layers),
            pipeline: self.pipeline,
            plan: self.plan,
            phase: PhantomData,
        }
    }

    /// Makes the state of the service before anything is connected. A second call receives what the
    /// first one made.
    ///
    /// # Panics
    ///
    /// Where a lifecycle hook was registered before: hooks take the state, whose type this step
    /// changes.
    #[must_use]
    pub fn on_startup<F, Fut, State2, E>(
        self,
        hook: F,
    ) -> RustStream<Layers, State2, Pipeline, Setup>
    where
        F: FnOnce(State) -> Fut + Send + 'static,
        Fut: Future<Output = Result<State2, E>> + Send,
        State: Send + 'static,
        State2: Send + Sync + 'static,
        E: std::error::Error + Send + Sync + 'static,
    {
        let Self {
            layers,
            pipeline,
            plan,
            ..
        } = self;
        assert!(
            plan.hooks.is_empty(),
            "on_startup must be called before lifecycle hooks are registered: after_startup, \
             on_shutdown and after_shutdown hooks take the state that it makes"
        );
        // Nothing is mounted in this phase, so no registration is lost with the old state.
        let plan = Plan {
            info: plan.info,
            servers: plan.servers,
            brokers: plan.brokers,
            handlers: plan.handlers,
            registrations: Vec::new(),
            producer: chained(plan.producer, hook),
            hooks: Hooks::new(),
            settings: plan.settings,
        };
        RustStream {
            layers,
            pipeline,
            plan,
            phase: PhantomData,
        }
    }

    /// Wraps every publish of the service in `middleware`; the layer added last is outermost.
    #[must_use]
    pub fn publish_layer<M>(
        self,
        middleware: M,
    ) -> RustStream<Layers, State, PublishStack<M, Pipeline>, Setup>
    where
        M: PublishLayer + Clone + 'static,
    {
        RustStream {
            layers: self.layers,
            pipeline: PublishStack::new(middleware, self.pipeline),
            plan: self.plan,
            phase: PhantomData,
        }
    }

    /// Samples the polls of every handler into `diagnostics`, instead of into ones that nobody
    /// reads.
    #[cfg(feature = "poll-diagnostics")]
    #[must_use]
    pub fn poll_diagnostics(self, diagnostics: crate::PollDiagnostics) -> Self {
        self.map_plan(|plan| plan.settings.poll_diagnostics = diagnostics)
    }
}

impl<Layers, State, Pipeline, Phase> RustStream<Layers, State, Pipeline, Phase> {
    /// Runs `hook` once every subscription is served. Hooks run one after the other, in order; one
    /// that fails ends the start.
    #[must_use]
    pub fn after_startup<F, Fut, E>(self, hook: F) -> Self
    where
        State: Send + Sync + 'static,
        F: FnOnce(Arc<State>) -> Fut + Send + 'static,
        Fut: Future<Output = Result<(), E>> + Send,
        E: std::error::Error + Send + Sync + 'static,
    {
        self.map_plan(|plan| plan.hooks.after_startup.push(hooks::hook(hook)))
    }

    /// Runs `hook` when a stop begins, while subscriptions are still served and brokers connected.
    /// A failure is logged and changes nothing.
    #[must_use]
    pub fn on_shutdown<F, Fut, E>(self, hook: F) -> Self
    where
        State: Send + Sync + 'static,
        F: FnOnce(Arc<State>) -> Fut + Send + 'static,
        Fut: Future<Output = Result<(), E>> + Send,
        E: std::error::Error + Send + Sync + 'static,
    {
        self.map_plan(|plan| plan.hooks.on_shutdown.push(hooks::hook(hook)))
    }

    /// Runs `hook` at the end of a stop, once every broker is shut down. A failure is logged and
    /// changes nothing.
    #[must_use]
    pub fn after_shutdown<F, Fut, E>(self, hook: F) -> Self
    where
        State: Send + Sync + 'static,
        F: FnOnce(Arc<State>) -> Fut + Send + 'static,
        Fut: Future<Output = Result<(), E>> + Send,
        E: std::error::Error + Send + Sync + 'static,
    {
        self.map_plan(|plan| plan.hooks.after_shutdown.push(hooks::hook(hook)))
    }

    /// Bounds how long a stop waits for deliveries in flight, and then again for what they left
    /// behind (hooks after settling, delayed copies). Without it a stop waits without limit.
    ///
    /// Deliveries that outlast it are aborted unsettled: the broker redelivers them, or not, by its
    /// own rules. The async runtime needs its timers enabled.
    #[must_use]
    pub fn shutdown_timeout(self, timeout: Duration) -> Self {
        self.map_plan(|plan| plan.settings.shutdown_timeout = Some(timeout))
    }

    /// Says what a subscription whose stream ends does to the service.
    #[must_use]
    pub fn on_subscription_end(self, on_end: SubscriptionEnd) -> Self {
        self.map_plan(|plan| plan.settings.on_subscription_end = on_end)
    }

    /// Connects the broker with the service and shuts it down with it, and mounts nothing: for a
    /// broker that is only published to.
    #[must_use]
    pub fn register_broker<R>(self, broker: R) -> Self
    where
        R: BrokerRegistration,
    {
        let (broker, slot) = broker.into_parts();
        self.map_plan(|plan| plan.brokers.push(registered(None, broker, slot)))
    }

    /// Describes a server for the generated document. It takes the place of what a broker
    /// registered under the label `name` says about itself.
    #[must_use]
    pub fn server(self, name: impl Into<String>, spec: ServerSpec) -> Self {
        let name = name.into();
        self.map_plan(|plan| {
            plan.servers.insert(name, spec);
        })
    }

    /// Adds a broker and mounts on it what `build` says, at once.
    #[must_use]
    pub fn with_broker<R, F>(
        self,
        broker: R,
        build: F,
    ) -> RustStream<Layers, State, Pipeline, Wired>
    where
        R: BrokerRegistration,
        Layers: Clone,
        Pipeline: Clone,
        State: Send + Sync + 'static,
        F: FnOnce(&mut BrokerScope<R::Broker, Layers, (), State, Pipeline>),
    {
        self.mount(None, broker.into_parts(), (), build)
    }

    /// As [`with_broker`](Self::with_broker), with the codec of everything mounted there that names
    /// none itself.
    #[must_use]
    pub fn with_broker_codec<R, C, F>(
        self,
        broker: R,
        codec: C,
        build: F,
    ) -> RustStream<Layers, State, Pipeline, Wired>
    where
        R: BrokerRegistration,
        C: Codec + Clone + 'static,
        Layers: Clone,
        Pipeline: Clone,
        State: Send + Sync + 'static,
        F: FnOnce(&mut BrokerScope<R::Broker, Layers, C, State, Pipeline>),
    {
        self.mount(None, broker.into_parts(), codec, build)
    }

    /// As [`with_broker`](Self::with_broker), with a name for the broker: in the logs, and as the
    /// server of everything mounted there in the generated document.
    #[must_use]
    pub fn with_broker_labeled<R, F>(
        self,
        label: impl Into<String>,
        broker: R,
        build: F,
    ) -> RustStream<Layers, State, Pipeline, Wired>
    where
        R: BrokerRegistration,
        R::Broker: DescribeServer,
        Layers: Clone,
        Pipeline: Clone,
        State: Send + Sync + 'static,
        F: FnOnce(&mut BrokerScope<R::Broker, Layers, (), State, Pipeline>),
    {
        self.mount_labeled(label.into(), broker.into_parts(), (), build)
    }

    /// As [`with_broker_labeled`](Self::with_broker_labeled), with a codec as in
    /// [`with_broker_codec`](Self::with_broker_codec).
    #[must_use]
    pub fn with_broker_labeled_codec<R, C, F>(
        self,
        label: impl Into<String>,
        broker: R,
        codec: C,
        build: F,
    ) -> RustStream<Layers, State, Pipeline, Wired>
    where
        R: BrokerRegistration,
        R::Broker: DescribeServer,
        C: Codec + Clone + 'static,
        Layers: Clone,
        Pipeline: Clone,
        State: Send + Sync + 'static,
        F: FnOnce(&mut BrokerScope<R::Broker, Layers, C, State, Pipeline>),
    {
        self.mount_labeled(label.into(), broker.into_parts(), codec, build)
    }

    /// Everything that is mounted, in order.
    #[must_use]
    pub fn handlers(&self) -> &[HandlerMetadata] {
        &self.plan.handlers
    }

    /// What the service says about itself.
    #[must_use]
    pub fn info(&self) -> &AppInfo {
        &self.plan.info
    }

    /// The servers of the generated document, by name.
    #[must_use]
    pub fn servers(&self) -> &BTreeMap<String, ServerSpec> {
        &self.plan.servers
    }

    fn mount_labeled<B, C, F>(
        mut self,
        label: String,
        parts: (B, ConnectedSlot<B>),
        codec: C,
        build: F,
    ) -> RustStream<Layers, State, Pipeline, Wired>
    where
        B: DescribeServer + 'static,
        Layers: Clone,
        Pipeline: Clone,
        State: Send + Sync + 'static,
        F: FnOnce(&mut BrokerScope<B, Layers, C, State, Pipeline>),
    {
        let described = || parts.0.describe_server();
        self.plan
            .servers
            .entry(label.clone())
            .or_insert_with(described);
        self.mount(Some(label), parts, codec, build)
    }

    fn mount<B, C, F>(
        self,
        label: Option<String>,
        (broker, slot): (B, ConnectedSlot<B>),
        codec: C,
        build: F,
    ) -> RustStream<Layers, State, Pipeline, Wired>
    where
        B: Broker + 'static,
        Layers: Clone,
        Pipeline: Clone,
        State: Send + Sync + 'static,
        F: FnOnce(&mut BrokerScope<B, Layers, C, State, Pipeline>),
    {
        let Self {
            layers,
            pipeline,
            mut plan,
            ..
        } = self;
        let mut scope = BrokerScope::new(broker, slot, layers.clone(), codec, pipeline.clone());
        build(&mut scope);
        plan.adopt(label, scope.into_scoped());
        RustStream {
            layers,
            pipeline,
            plan,
            phase: PhantomData,
        }
    }
}

impl<Layers, State, Pipeline, Phase> fmt::Debug for RustStream<Layers, State, Pipeline, Phase> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RustStream")
            .field("info", &self.plan.info)
            .field("brokers", &self.plan.brokers.len())
            .field("handlers", &self.plan.handlers.len())
            .finish_non_exhaustive()
    }
}
