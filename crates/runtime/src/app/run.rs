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
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a service: return the value that `RustStream::new(..)` begins, as `impl App`",
    label = "not an `App`"
)]
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

        /// The service, to be started step by step.
        #[cfg(feature = "testing")]
        fn into_test_parts(self) -> crate::TestParts<Self::State>;
    }
}

impl<Layers, State: Send + Sync + 'static, Pipeline, Phase> sealed::App
    for RustStream<Layers, State, Pipeline, Phase>
{
    #[cfg(feature = "testing")]
    type State = State;

    #[cfg(feature = "testing")]
    fn into_test_parts(self) -> crate::TestParts<State> {
        crate::TestParts::new(self.into_plan())
    }
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

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::future::{pending, ready};

    use futures_util::FutureExt;
    use tokio::sync::oneshot;
    use tokio::task::yield_now;

    use super::*;
    use crate::app::testkit::{Depot, Journal, depots, idle, mount, noting};
    use crate::layers::log_capture::LogCapture;

    fn lifecycle(log: &LogCapture, text: &str) -> bool {
        let line = format!("INFO ruststream::lifecycle: {text}");
        log.take().contains(&line)
    }

    // RUN-032, RUN-030
    #[tokio::test]
    async fn run_until_serves_until_the_callers_future_resolves() {
        async fn main(app: impl App, stop: oneshot::Receiver<()>) -> Result<(), RustStreamError> {
            assert_eq!(
                (app.info().title.as_str(), app.handlers().len()),
                ("depots", 1)
            );
            assert!(app.servers().is_empty());
            app.run_until(async { stop.await.unwrap() }).await
        }
        let journal = Journal::default();
        let app = depots()
            .with_broker(Depot::new("a", &journal), |scope| {
                mount(scope, "parcels", noting(&journal, "loop ends"));
            })
            .on_shutdown(journal.hook("on_shutdown"));
        let (stop, stops) = oneshot::channel();
        let log = LogCapture::start();
        let mut serving = Box::pin(main(app, stops));
        assert!((&mut serving).now_or_never().is_none());
        assert_eq!(journal.take(), ["connect a", "open parcels"]);

        stop.send(()).unwrap();

        serving.await.unwrap();
        assert_eq!(journal.take(), ["on_shutdown", "loop ends", "shutdown a"]);
        assert!(lifecycle(&log, "shutdown signal received"));
    }

    // RUN-032
    #[tokio::test]
    async fn run_until_ends_by_itself_when_a_failure_tears_the_service_down() {
        let journal = Journal::default();
        let app = depots().with_broker(Depot::new("a", &journal), |scope| {
            mount(scope, "parcels", |service| {
                Ok(Box::pin(async move { service.fail("parcels", "broken") }))
            });
        });
        let log = LogCapture::start();

        let error = app.run_until(pending()).await.unwrap_err();

        assert_eq!(error.to_string(), "dispatch failed: parcels: broken");
        assert!(lifecycle(&log, "fail-fast shutdown triggered"));
        assert_eq!(journal.take().last().unwrap(), "shutdown a");
    }

    // RUN-032
    #[tokio::test]
    async fn a_start_that_fails_does_not_poll_the_callers_future() {
        let journal = Journal::default();
        let app = depots().register_broker(Depot::new("a", &journal).refusing("connect"));

        let error = app.run_until(async { unreachable!() }).await.unwrap_err();

        assert!(matches!(error, RustStreamError::Connect(_)));
    }

    #[tokio::test]
    async fn a_dropped_run_takes_no_further_deliveries() {
        let journal = Journal::default();
        let app = depots().with_broker(Depot::new("a", &journal), |scope| {
            mount(scope, "parcels", noting(&journal, "loop ends"));
        });

        assert!(app.run_until(pending()).now_or_never().is_none());
        yield_now().await;

        assert_eq!(journal.take()[2..], ["loop ends", "drop a"]);
    }

    // RUN-030
    #[test]
    fn running_and_starting_can_be_spawned_whatever_the_caller_waits_for() {
        fn sends<T: Send>(_: T) {}
        let local = String::from("borrowed");
        sends(App::run(depots()));
        sends(App::start(depots()));
        sends(App::run_until(depots(), async {
            let _ = &local;
        }));
        sends(depots().run_until(ready(())));
    }

    // RUN-030, TEST-06
    #[cfg(feature = "testing")]
    #[tokio::test]
    async fn the_state_of_an_opaque_service_can_be_named() {
        fn depot() -> impl App<State = u32> {
            depots().on_startup(async |()| Ok::<_, Infallible>(41))
        }

        depot().run_until(ready(())).await.unwrap();
    }

    /// Signals reach the whole process, so they are one test.
    #[cfg(unix)]
    mod signals {
        use std::process::{Command, id};

        use super::*;
        use crate::app::testkit::stuck;

        fn raise(signal: &str) {
            let sent = Command::new("kill")
                .args([signal, &id().to_string()])
                .status();
            assert!(sent.unwrap().success());
        }

        /// A hook that sends this process a signal.
        fn raising<State>(
            signal: &'static str,
        ) -> impl FnOnce(std::sync::Arc<State>) -> std::future::Ready<Result<(), Infallible>>
        + Send
        + 'static {
            move |_state| {
                raise(signal);
                ready(Ok(()))
            }
        }

        // RUN-031, CLI-09, OBS trap 12
        #[tokio::test]
        async fn a_signal_stops_the_service_in_order_and_a_second_one_ends_the_patience() {
            for signal in ["-INT", "-TERM"] {
                // Sent while the service starts: nothing is lost, the start is finished.
                let journal = Journal::default();
                let app = depots()
                    .after_startup(raising(signal))
                    .after_startup(journal.hook("after_startup"))
                    .on_shutdown(journal.hook("on_shutdown"))
                    .with_broker(Depot::new("a", &journal), |scope| {
                        mount(scope, "parcels", noting(&journal, "loop ends"));
                    });
                let log = LogCapture::start();
                app.run().await.unwrap();
                assert!(lifecycle(&log, "shutdown signal received"));
                assert_eq!(
                    journal.take()[2..],
                    ["after_startup", "on_shutdown", "loop ends", "shutdown a"]
                );
            }

            // A second one, while the first one's drain would never end.
            let journal = Journal::default();
            let app = depots()
                .after_startup(raising("-TERM"))
                .on_shutdown(raising("-TERM"))
                .after_shutdown(journal.hook("after_shutdown"))
                .with_broker(Depot::new("a", &journal), |scope| {
                    mount(scope, "parcels", stuck(&journal, "aborted"));
                });
            app.run().await.unwrap();
            assert_eq!(
                journal.take()[2..],
                ["aborted", "shutdown a", "after_shutdown"]
            );

            // Two, while the start would never end.
            let journal = Journal::default();
            let app = depots()
                .after_startup(raising("-INT"))
                .after_startup(raising("-TERM"))
                .after_startup(|_| pending::<Result<(), Infallible>>())
                .on_shutdown(journal.hook("on_shutdown"))
                .with_broker(Depot::new("a", &journal), |scope| {
                    mount(scope, "parcels", stuck(&journal, "aborted"));
                    mount(scope, "labels", idle);
                });
            app.run().await.unwrap();
            let noted = journal.take();
            assert_eq!(noted[noted.len() - 2..], ["aborted", "shutdown a"]);
        }
    }
}
