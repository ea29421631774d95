//! Running a service: to a signal, to a future, or under the caller's control.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::{Pin, pin};

use ruststream_core::ServerSpec;

use super::builder::RustStream;
use super::error::RustStreamError;
use super::force::Force;
use super::info::AppInfo;
use super::plan::Plan;
use super::running::RunningApp;
use super::signals::Signals;
use super::{shutdown, startup};
use crate::docs::HandlerMetadata;

/// A composed service, whatever its layers and state.
///
/// A function that returns `impl App` hides the service's type; its caller can run the service and
/// look at what it consists of. [`RustStream`] is the only implementor.
///
/// ```
/// use ruststream_core::Broker;
/// use ruststream_runtime::{App, AppInfo, RustStream};
///
/// fn depot(broker: impl Broker + 'static) -> impl App {
///     RustStream::new(AppInfo::new("depot", "1.4.0")).with_broker(broker, |_scope| {})
/// }
/// ```
pub trait App: sealed::App + Sized {
    /// Runs the service until the process is told to end: by an interrupt or, on Unix, by a
    /// terminate signal.
    ///
    /// The first signal stops the service in order, once it is up. A second one cuts the waiting
    /// short: handlers in flight are aborted, a start that is under way is taken back.
    ///
    /// # Errors
    ///
    /// As [`start`](Self::start), then as [`RunningApp::shutdown`].
    ///
    /// # Panics
    ///
    /// Outside of a Tokio runtime that has I/O and time enabled.
    fn run(self) -> impl Future<Output = Result<(), RustStreamError>> + Send;

    /// Runs the service until `shutdown` resolves, or a failure of a subscription tears it down.
    ///
    /// `shutdown` is first polled once the service is up, and not at all if it doesn't come up. No
    /// signal handler is installed.
    ///
    /// # Errors
    ///
    /// As [`start`](Self::start), then as [`RunningApp::shutdown`].
    ///
    /// # Cancel safety
    ///
    /// A service whose future is dropped takes no further deliveries; no hook runs and no broker is
    /// shut down.
    fn run_until<F>(self, shutdown: F) -> impl Future<Output = Result<(), RustStreamError>> + Send
    where
        F: Future<Output = ()> + Send;

    /// Starts the service and hands it to the caller. No signal handler is installed.
    ///
    /// The state is made first, then every broker is connected, then every subscription is opened
    /// and served, then the `after_startup` hooks run; each in the order of registration.
    ///
    /// # Errors
    ///
    /// The first step that failed. What was up by then is taken down again: deliveries in flight are
    /// finished, brokers are shut down in reverse. `on_shutdown` and `after_shutdown` hooks do not
    /// run.
    ///
    /// # Panics
    ///
    /// Outside of a Tokio runtime, and where a hook panics.
    ///
    /// # Cancel safety
    ///
    /// A start that is dropped leaves nothing running, but the brokers that were connected are
    /// dropped, not shut down.
    fn start(self) -> impl Future<Output = Result<RunningApp, RustStreamError>> + Send;

    /// What the service says about itself.
    fn info(&self) -> &AppInfo;

    /// The servers of the generated document, by name.
    fn servers(&self) -> &BTreeMap<String, ServerSpec>;

    /// Everything that is mounted, in order.
    fn handlers(&self) -> &[HandlerMetadata];
}

mod sealed {
    /// Closes the trait, and names the state for the test harness.
    pub trait App {
        /// The state of the service.
        #[cfg(feature = "testing")]
        type State: Send + Sync + 'static;
    }
}

impl<Layers, State: Send + Sync + 'static, Pipeline, Phase> sealed::App
    for RustStream<Layers, State, Pipeline, Phase>
{
    #[cfg(feature = "testing")]
    type State = State;
}

impl<Layers: Send, State: Send + Sync + 'static, Pipeline: Send, Phase> App
    for RustStream<Layers, State, Pipeline, Phase>
{
    fn run(self) -> impl Future<Output = Result<(), RustStreamError>> + Send {
        run(self.into_plan())
    }

    fn run_until<F>(self, shutdown: F) -> impl Future<Output = Result<(), RustStreamError>> + Send
    where
        F: Future<Output = ()> + Send,
    {
        run_until(self.into_plan(), shutdown)
    }

    fn start(self) -> impl Future<Output = Result<RunningApp, RustStreamError>> + Send {
        startup::start(self.into_plan())
    }

    fn info(&self) -> &AppInfo {
        self.info()
    }

    fn servers(&self) -> &BTreeMap<String, ServerSpec> {
        self.servers()
    }

    fn handlers(&self) -> &[HandlerMetadata] {
        self.handlers()
    }
}

/// How many signals end the patience, whatever the first of them met.
const FORCING: u32 = 2;

pub(crate) async fn run<State>(plan: Plan<State>) -> Result<(), RustStreamError>
where
    State: Send + Sync + 'static,
{
    let mut signals = Signals::listen();
    let mut app = RunningApp::new(&plan.settings);
    {
        let demand = pin!(signals.heard(FORCING));
        let mut force = Force::on(demand);
        let started = tokio::select! {
            biased;
            started = startup::bring_up(&mut app, plan) => Some(started),
            () = force.demanded() => None,
        };
        if !matches!(started, Some(Ok(()))) {
            shutdown::unwind(app, &mut force).await;
            return started.unwrap_or(Ok(()));
        }
    }

    wait(&app, pin!(signals.heard(1))).await;
    let demand = pin!(signals.heard(FORCING));
    shutdown::stop(app, &mut Force::on(demand)).await
}

pub(crate) async fn run_until<State, F>(
    plan: Plan<State>,
    shutdown: F,
) -> Result<(), RustStreamError>
where
    State: Send + Sync + 'static,
    F: Future<Output = ()> + Send,
{
    let mut app = startup::start(plan).await?;
    app.stops_when_dropped = true;
    wait(&app, pin!(shutdown)).await;
    shutdown::stop(app, &mut Force::never()).await
}

/// Waits for the end of a running service: the caller's, or a failure.
async fn wait(app: &RunningApp, shutdown: Pin<&mut (dyn Future<Output = ()> + Send + '_)>) {
    tokio::select! {
        biased;
        () = app.stopping() => {
            tracing::info!(target: "ruststream::lifecycle", "fail-fast shutdown triggered");
        }
        () = shutdown => {
            tracing::info!(target: "ruststream::lifecycle", "shutdown signal received");
        }
    }
}
