//! The handle of a started service.

use std::collections::VecDeque;
use std::fmt;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ruststream_core::{Bound, Broker, Connected, PairError, PublishPolicy};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

use super::broker::LiveBroker;
use super::error::RustStreamError;
use super::force::Force;
use super::health::HealthBoard;
use super::health::HealthProbe;
use super::hooks::BoundHook;
use super::plan::Settings;
use super::registration::DispatchLoop;
use super::service::Service;
use super::shutdown;
use crate::extract::MainRuntime;

/// A service that was started and runs until it is shut down.
///
/// Dropping it does not stop the service: its subscriptions keep being served on their own tasks,
/// but no hook runs any more and no broker is shut down. Its loops can then only end with their
/// streams or with the async runtime.
///
/// ```
/// use std::error::Error;
///
/// use ruststream_runtime::App;
///
/// async fn serve(app: impl App) -> Result<(), Box<dyn Error>> {
///     let running = app.start().await?;
///     let health = running.health();
///     running.stopping().await; // a failure is tearing the service down
///     println!("stopping: {:?}", health.state());
///     Ok(running.shutdown().await?)
/// }
/// ```
#[must_use = "a service that is dropped keeps running with nobody to stop it"]
pub struct RunningApp {
    pub(crate) service: Service,
    pub(crate) health: HealthBoard,
    /// One task for each subscription, in the order they were started.
    pub(crate) loops: VecDeque<SubscriptionLoop>,
    connections: Connections,
    teardown: Mutex<Teardown>,
    pub(crate) shutdown_timeout: Option<Duration>,
    /// Set where nobody is left to stop the service: while it starts, while it is run to its end.
    pub(crate) stops_when_dropped: bool,
}

/// The loop of one subscription.
pub(crate) struct SubscriptionLoop {
    pub(crate) name: String,
    pub(crate) task: JoinHandle<()>,
}

/// The connected brokers in the order of their registration. Each loop holds the list as well, so
/// that the loops of a dropped handle keep their connections.
pub(crate) type Connections = Arc<Mutex<Vec<Box<dyn LiveBroker>>>>;

/// The hooks of the stop. The lock around them is for `Sync` alone: hooks need not be.
#[derive(Default)]
pub(crate) struct Teardown {
    pub(crate) on_shutdown: Vec<BoundHook>,
    pub(crate) after_shutdown: Vec<BoundHook>,
}

impl RunningApp {
    /// A service of which nothing runs yet, on the current async runtime.
    pub(crate) fn new(settings: &Settings) -> Self {
        let Ok(handle) = Handle::try_current() else {
            panic!(
                "a service starts on a Tokio runtime: let `#[ruststream::app]` write `main`, or await \
                 the start under `#[tokio::main]`"
            );
        };
        let health = HealthBoard::new();
        let service = Service::new(
            MainRuntime::new(handle),
            health.reporter(),
            settings.on_subscription_end,
        )
        .observed_by(settings.observed.clone());
        #[cfg(feature = "poll-diagnostics")]
        let service = service.sampling(settings.poll_diagnostics.clone());
        Self {
            service,
            health,
            loops: VecDeque::new(),
            connections: Connections::default(),
            teardown: Mutex::default(),
            shutdown_timeout: settings.shutdown_timeout,
            stops_when_dropped: true,
        }
    }

    /// Starts the loop of the subscription `name`.
    pub(crate) fn spawn(&mut self, name: &str, dispatch: DispatchLoop) {
        let active = self.service.health().subscription_started();
        let connections = Arc::clone(&self.connections);
        let task = tokio::spawn(async move {
            let _held = (connections, active);
            dispatch.await;
        });
        self.loops.push_back(SubscriptionLoop {
            name: name.to_owned(),
            task,
        });
    }

    pub(crate) fn push_connection(&self, broker: Box<dyn LiveBroker>) {
        self.connections
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(broker);
    }

    pub(crate) fn take_connections(&self) -> Vec<Box<dyn LiveBroker>> {
        std::mem::take(
            &mut *self
                .connections
                .lock()
                .unwrap_or_else(PoisonError::into_inner),
        )
    }

    /// The connections, which cannot be shut down while these are held.
    #[cfg(feature = "testing")]
    pub(crate) fn connections(&self) -> Vec<crate::observe::Connection> {
        let connections = self
            .connections
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        connections
            .iter()
            .filter_map(|live| live.connection().ok())
            .collect()
    }

    pub(crate) fn teardown(&mut self) -> &mut Teardown {
        self.teardown
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Resolves once a failure of a subscription is tearing the service down, also when that began
    /// before the call.
    ///
    /// It does not resolve on an orderly [`shutdown`](Self::shutdown): it is there for the caller
    /// who runs something beside the service and has to end it as well. The future does not borrow
    /// the handle and may be dropped and asked for again at any time.
    pub fn stopping(&self) -> impl Future<Output = ()> + Send + use<> + 'static {
        let service = self.service.clone();
        async move {
            loop {
                // An orderly stop raises the same signal, so the signal alone says nothing.
                let raised = service.stop().waiter();
                if service.failure().is_some() {
                    return;
                }
                raised.await;
            }
        }
    }

    /// A probe of the service's health, which outlives the service.
    #[must_use]
    pub fn health(&self) -> HealthProbe {
        self.health.probe()
    }

    /// Pairs a token with the live connection of its broker, for publishing from outside of
    /// handlers.
    ///
    /// The future does not borrow the handle. While it is unfinished it keeps the connection: the
    /// broker cannot be shut down then.
    ///
    /// # Errors
    ///
    /// The token's broker is not one of this service, or the policy could not be paired.
    pub fn publisher<B2, S>(
        &self,
        token: Bound<B2, S>,
    ) -> impl Future<Output = Result<S::Live, PairError>> + Send + use<B2, S>
    where
        B2: Broker + 'static,
        S: PublishPolicy<Connected<B2>> + Send,
    {
        token.live()
    }

    /// Stops the service in order: `on_shutdown` hooks, no further deliveries, those in flight and
    /// what they left behind, the brokers in reverse, `after_shutdown` hooks.
    ///
    /// Waiting for what is in flight is bounded by
    /// [`shutdown_timeout`](crate::RustStream::shutdown_timeout), where one is set; what it cuts
    /// off is not an error.
    ///
    /// # Errors
    ///
    /// The first of: a dispatch task that panicked (without a `shutdown_timeout`), a broker that
    /// could not be shut down, the failure that tore the service down. All steps are performed
    /// whichever fails; errors of hooks are logged only.
    ///
    /// # Panics
    ///
    /// A panic of a hook goes on to the caller and leaves the steps after it undone.
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: a dropped stop takes no further deliveries, but its remaining steps are not
    /// performed.
    pub async fn shutdown(self) -> Result<(), RustStreamError> {
        shutdown::stop(self, &mut Force::never()).await
    }
}

impl Drop for RunningApp {
    fn drop(&mut self) {
        if self.stops_when_dropped {
            self.service.begin_stopping();
            self.service.stop().raise();
        }
    }
}

impl fmt::Debug for RunningApp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let brokers = self
            .connections
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .len();
        f.debug_struct("RunningApp")
            .field("subscribers", &self.loops.len())
            .field("brokers", &brokers)
            .field("shutdown_timeout", &self.shutdown_timeout)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures_util::FutureExt;
    use ruststream_core::Bindable;
    use tokio::sync::oneshot;
    use tokio::task::yield_now;

    use super::*;
    use crate::app::health::{HealthState, SubscriptionCount};
    use crate::app::testkit::{Depot, Gate, Journal, depots, idle, mount};

    // RUN-033, OBS-41, trap 43
    #[tokio::test]
    async fn stopping_resolves_for_a_failure_whenever_it_was_asked_for() {
        let running = depots().start().await.unwrap();
        let early = tokio::spawn(running.stopping());
        yield_now().await;
        assert!(!early.is_finished());

        running.service.fail("parcels", "broken");

        early.await.unwrap();
        running.stopping().await;
    }

    // RUN-033, OBS-41, trap 43
    #[tokio::test]
    async fn stopping_does_not_resolve_for_an_orderly_stop() {
        let running = depots().start().await.unwrap();
        let mut stopping = Box::pin(running.stopping());
        assert_eq!((&mut stopping).now_or_never(), None);
        let service = running.service.clone();

        running.shutdown().await.unwrap();
        assert_eq!((&mut stopping).now_or_never(), None);

        service.fail("parcels", "broken while it stopped");
        stopping.await;
    }

    // RUN-033, PUB-750, PUB-752
    #[tokio::test]
    async fn publisher_pairs_with_the_brokers_of_this_service_alone() {
        let journal = Journal::default();
        let depot = Bindable::new(Depot::new("a", &journal));
        let (token, refusing) = (depot.bind(Gate::Opens), depot.bind(Gate::Refuses));
        let stranger = Bindable::new(Depot::new("b", &journal)).bind(Gate::Opens);
        let running = depots().with_broker(depot, |_| {}).start().await.unwrap();

        assert_eq!(running.publisher(token.clone()).await.unwrap(), "a");
        assert!(running.publisher(refusing).await.is_err());
        let error = running.publisher(stranger).await.unwrap_err();
        assert!(error.to_string().contains("not connected"), "{error}");

        running.shutdown().await.unwrap();
        let error = token.live().await.unwrap_err();
        assert!(error.to_string().contains("not connected"), "{error}");
    }

    // RUN-034, OBS-40
    #[tokio::test]
    async fn a_dropped_handle_leaves_loops_and_connections_and_runs_no_hook() {
        let journal = Journal::default();
        let (deliver, mut deliveries) = tokio::sync::mpsc::channel::<u32>(1);
        let (ended, ends) = oneshot::channel::<()>();
        let app = depots()
            .on_shutdown(journal.hook("on_shutdown"))
            .after_shutdown(journal.hook("after_shutdown"))
            .with_broker(Depot::new("a", &journal), |scope| {
                let journal = journal.clone();
                mount(scope, "parcels", move |service| {
                    Ok(Box::pin(async move {
                        while let Some(parcel) = deliveries.recv().await {
                            journal.note(format!("{parcel}, stop: {}", service.stop().is_raised()));
                        }
                        drop(ended);
                    }))
                });
            });
        let running = app.start().await.unwrap();
        let mut probe = running.health();
        yield_now().await;

        drop(running);
        deliver.send(41).await.unwrap();
        yield_now().await;

        assert_eq!(journal.take()[2..], ["41, stop: false"]);
        assert_eq!(probe.state(), HealthState::Running);
        assert_eq!(probe.changed().now_or_never(), None);
        drop(deliver);
        ends.await.unwrap_err();
        yield_now().await;
        assert_eq!(journal.take(), ["drop a"]);
    }

    // RUN-093, RUN-094, OBS-38, OBS-39
    #[tokio::test]
    async fn a_stream_that_ends_lowers_the_count_and_leaves_the_service_running() {
        let journal = Journal::default();
        let (end, ends) = oneshot::channel::<()>();
        let app = depots().with_broker(Depot::new("a", &journal), |scope| {
            mount(scope, "parcels", |service| {
                Ok(Box::pin(async move {
                    ends.await.unwrap();
                    service.stream_ended("parcels");
                }))
            });
            mount(scope, "labels", idle);
        });
        let running = app.start().await.unwrap();
        let mut probe = running.health();
        assert_eq!(
            probe.subscriptions(),
            SubscriptionCount {
                active: 2,
                started: 2
            }
        );

        end.send(()).unwrap();
        assert_eq!(probe.changed().await, HealthState::Running);

        assert_eq!(
            probe.subscriptions(),
            SubscriptionCount {
                active: 1,
                started: 2
            }
        );
        running.shutdown().await.unwrap();
        assert_eq!(
            probe.subscriptions(),
            SubscriptionCount {
                active: 0,
                started: 2
            }
        );
    }

    // RUN-033
    #[tokio::test]
    async fn debug_shows_the_numbers_and_the_bound() {
        let journal = Journal::default();
        let app = depots()
            .shutdown_timeout(Duration::from_secs(5))
            .with_broker(Depot::new("a", &journal), |scope| {
                mount(scope, "parcels", idle);
                mount(scope, "labels", idle);
            });
        let running = app.start().await.unwrap();

        assert_eq!(
            format!("{running:?}"),
            "RunningApp { subscribers: 2, brokers: 1, shutdown_timeout: Some(5s), .. }"
        );
    }

    // RUN-033
    #[test]
    fn the_handle_can_be_shared_between_tasks() {
        fn holds<T: Send + Sync + 'static>() {}
        holds::<RunningApp>();
    }
}
