//! The builder of a service: how it begins, and the steps before the first broker. Those of every
//! phase are in [`steps`](super::steps).

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::marker::PhantomData;

use super::error::RustStreamError;
use super::hooks::{HookError, Hooks, chained, no_state};
use super::info::AppInfo;
use super::plan::{Plan, Settings};
use super::running::RunningApp;
use super::{run, startup};
use crate::layers::{Identity, Stack};
use crate::publish::{PublishIdentity, PublishLayer, PublishStack};

/// The phase of a builder in which layers and the state are named.
#[derive(Debug, Clone, Copy, Default)]
pub struct Setup;

/// The phase of a builder from its first mounted broker on.
///
/// What is mounted depends on the layers and on the state, so neither can be added any more:
///
/// ```compile_fail
/// # use ruststream_core::Broker;
/// # use ruststream_runtime::{AppInfo, RustStream, layers::TracingLayer};
/// # fn depot(broker: impl Broker + 'static) {
/// let app = RustStream::new(AppInfo::new("depot", "1.4.0")).with_broker(broker, |_| {});
/// let app = app.layer(TracingLayer::default()); // no method named `layer`
/// # }
/// ```
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
    pub(super) layers: Layers,
    pub(super) pipeline: Pipeline,
    pub(super) plan: Plan<State>,
    pub(super) phase: PhantomData<fn() -> Phase>,
}

impl<Layers, State, Pipeline, Phase> RustStream<Layers, State, Pipeline, Phase> {
    pub(super) fn into_plan(self) -> Plan<State> {
        self.plan
    }

    pub(super) fn map_plan(self, step: impl FnOnce(&mut Plan<State>)) -> Self {
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
        E: HookError,
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

    /// Wraps the service's replies, slots, retry copies and dead letters in `middleware`; the layer
    /// added last is outermost.
    ///
    /// Of a router it wraps the replies alone. Replies that are their own bytes, requests,
    /// transactions of a handler, and publishers of hooks or taken from outside pass no layer.
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

/// A step may follow a broker. None of these does: what is mounted has its layers and state.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`.layer(..)`, `.publish_layer(..)` and `.on_startup(..)` come before the first broker: write this step above `.with_broker(..)`",
    label = "write this step above `.with_broker(..)`",
    note = "what is mounted is built into the layers and takes the state, so both are known before"
)]
pub trait FollowsABroker {}

/// Only there to be refused: without them the compiler could say no more than that there is no such
/// method.
impl<Layers, State, Pipeline> RustStream<Layers, State, Pipeline, Wired> {
    /// Comes before the first broker.
    #[doc(hidden)]
    #[must_use]
    pub fn layer<N: FollowsABroker>(self, _layer: N) -> Self {
        self
    }

    /// Comes before the first broker.
    #[doc(hidden)]
    #[must_use]
    pub fn publish_layer<M: FollowsABroker>(self, _middleware: M) -> Self {
        self
    }

    /// Comes before the first broker.
    #[doc(hidden)]
    #[must_use]
    pub fn on_startup<F, Fut>(self, _hook: F) -> Self
    where
        F: FnOnce(State) -> Fut + FollowsABroker,
    {
        self
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

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;
    use crate::app::BrokerScope;
    use crate::app::testkit::{Depot, Journal, Refused, depots, idle, mount};

    // RUN-010, RUN-012
    #[test]
    fn what_a_service_composes_is_in_its_type() {
        #[derive(Clone)]
        struct Outer;
        #[derive(Clone)]
        struct Inner;
        let app = depots().layer(Outer).layer(Inner);
        let _: &RustStream<Stack<Inner, Stack<Outer, Identity>>, (), PublishIdentity, Setup> = &app;

        let app = app.with_broker(Depot::new("a", &Journal::default()), |scope| {
            let _: &BrokerScope<Depot, Stack<Inner, Stack<Outer, Identity>>> = scope;
        });
        let _: &RustStream<Stack<Inner, Stack<Outer, Identity>>> = &app;
    }

    // RUN-013, RUN-012
    #[tokio::test]
    async fn producers_chain_and_keep_what_was_registered_before() {
        let journal = Journal::default();
        let seen = journal.clone();
        let running = depots()
            .register_broker(Depot::new("a", &journal))
            .on_startup(async |()| Ok::<_, Infallible>(41))
            .on_startup(async |first: u32| Ok::<_, Infallible>(format!("{first} and 42")))
            .after_startup(async move |state| {
                seen.note(state.as_str());
                Ok::<_, Infallible>(())
            })
            .start()
            .await
            .unwrap();

        assert_eq!(journal.take(), ["connect a", "41 and 42"]);
        running.shutdown().await.unwrap();
    }

    // RUN-013
    #[tokio::test]
    async fn a_failed_producer_leaves_the_next_one_alone() {
        let app = depots()
            .on_startup(async |()| Err::<u32, _>(Refused("open the ledger")))
            .on_startup(async |_: u32| -> Result<(), Infallible> { unreachable!() });

        assert!(matches!(
            app.start().await,
            Err(RustStreamError::Startup(_))
        ));
    }

    // RUN-013, trap 36
    #[test]
    fn on_startup_after_a_hook_of_any_kind_panics_at_the_call() {
        type Fresh = RustStream<Identity, (), PublishIdentity, Setup>;
        let hooked: [fn(Fresh) -> Fresh; 3] = [
            |app| app.after_startup(Journal::default().hook("")),
            |app| app.on_shutdown(Journal::default().hook("")),
            |app| app.after_shutdown(Journal::default().hook("")),
        ];
        for hooked in hooked {
            let called = std::panic::AssertUnwindSafe(|| {
                hooked(depots()).on_startup(async |()| Ok::<_, Infallible>(41))
            });
            let panic = std::panic::catch_unwind(called).unwrap_err();
            let text = panic.downcast_ref::<&str>().unwrap();
            let begin = "on_startup must be called before lifecycle hooks are registered";
            assert!(text.starts_with(begin), "{text}");
        }
    }

    // RUN-010
    #[test]
    fn debug_shows_the_info_and_the_numbers() {
        let app = depots().with_broker(Depot::new("a", &Journal::default()), |scope| {
            mount(scope, "parcels", idle);
            mount(scope, "labels", idle);
        });

        let shown = format!("{app:?}");
        assert!(
            shown.starts_with("RustStream { info: AppInfo { title: \"depots\""),
            "{shown}"
        );
        assert!(
            shown.ends_with(", brokers: 1, handlers: 2, .. }"),
            "{shown}"
        );
    }
}
