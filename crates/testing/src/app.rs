use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;

use ruststream_core::testing::TestError;
use ruststream_core::{Broker, DefaultPublish, OutgoingDestination, PublishPolicy, Publisher};
use ruststream_runtime::{
    App, HeadersUnset, MessageBody, OutSlot, PublishBuilder, RustStreamError, UnnamedCodec,
    message_of,
};

use crate::assertions::PublishedAssertions;
use crate::brokers::{BrokerHandle, TestBrokers};
use crate::harness::Mode;
use crate::input::{InjectSink, Target};
use crate::rig::{Rig, Starting};

/// How long a live test waits by default.
const LIVE_DEADLINE: Duration = Duration::from_secs(10);

/// A service under test.
///
/// The test takes the application that production's `main` runs, unchanged: its layers, codecs,
/// failure policies and timeouts all apply. Only how its brokers connect is the test's choice.
///
/// - [`start`](Self::start) runs it in process, on the transport that each broker crate offers to
///   tests. Nothing leaves the process, and on a paused clock no time passes but what the test
///   [advances](Self::advance).
/// - [`start_live`](Self::start_live) runs it against the real servers.
///
/// ```
/// use ruststream::memory::MemoryBroker;
/// use ruststream::prelude::*;
/// use ruststream::testing::TestApp;
///
/// #[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize, Outgoing)]
/// struct Parcel {
///     id: u32,
/// }
///
/// #[subscriber("arrivals", reply("shelves"))]
/// async fn shelve(parcel: &Parcel) -> Parcel {
///     Parcel { id: parcel.id }
/// }
///
/// fn depot() -> impl App<State = ()> {
///     RustStream::new(AppInfo::new("depot", "1.0.0")).with_broker(MemoryBroker::new(), |b| {
///         b.include(shelve);
///     })
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let tb = TestApp::start(depot()).await?;
/// tb.message(&Parcel { id: 7 }).to("arrivals").publish().await?;
///
/// let broker = tb.broker::<MemoryBroker>();
/// broker.subscriber("arrivals").assert_called_once().settled(HandlerOutcome::ack());
/// broker.published("shelves").assert_called_once().with(&Parcel { id: 7 });
/// tb.shutdown().await?;
/// # Ok(())
/// # }
/// ```
///
/// Every send returns once the whole reaction to it has come to rest: the handlers it reached, what
/// they published, the handlers that reached. So assertions need no waiting. Delayed redeliveries
/// are not part of a reaction; [`advance`](Self::advance) brings them about.
///
/// Dropped without [`shutdown`](Self::shutdown), the service takes no further deliveries; no
/// shutdown hook runs and no broker is closed.
///
/// # Panics
///
/// Started outside of a Tokio runtime. A hook of the test that panicked panics in the next of: the
/// send, `settle` or `advance` that was driving it, `shutdown`, the drop.
pub struct TestApp<State> {
    rig: Rig,
    state: PhantomData<fn() -> State>,
}

impl<State: Send + Sync + 'static> TestApp<State> {
    /// Starts the service in process.
    ///
    /// `on_startup` runs first, then the brokers connect in the order of their registration, then
    /// the subscriptions open and the `after_startup` hooks run. What the hooks published is not
    /// waited for; [`settle`](Self::settle) waits for it.
    ///
    /// # Errors
    ///
    /// [`TestError::NoTransport`] for a broker without an in-process mode, before anything of the
    /// service ran. Otherwise the step that failed; what was up is taken down again, without
    /// shutdown hooks.
    pub async fn start<A>(app: A) -> Result<Self, TestError>
    where
        A: App<State = State>,
    {
        Self::launched(app, Mode::InProcess).await
    }

    /// Starts the service against its real servers, and waits for each reaction at most 10 seconds.
    ///
    /// # Errors
    ///
    /// As [`start_live_within`](Self::start_live_within).
    pub async fn start_live<A>(app: A) -> Result<Self, TestError>
    where
        A: App<State = State>,
    {
        Self::start_live_within(app, LIVE_DEADLINE).await
    }

    /// Starts the service against its real servers, and waits for each reaction at most `deadline`.
    ///
    /// Nothing in the process sees a server's queues. A reaction is at rest when every subscription
    /// has handled what it is owed: one delivery for each message that the test or a handler's
    /// publisher sent and the broker routes to it, and one for each redelivery that is due.
    ///
    /// # Errors
    ///
    /// [`TestError::PausedClock`] on a paused clock, before anything of the service ran. Otherwise
    /// the step that failed; what was up is taken down again, without shutdown hooks.
    pub async fn start_live_within<A>(app: A, deadline: Duration) -> Result<Self, TestError>
    where
        A: App<State = State>,
    {
        if crate::clock::is_paused() {
            return Err(TestError::PausedClock);
        }
        Self::launched(app, Mode::Live { deadline }).await
    }

    /// Starts the service in process with a state of the test's making; `on_startup` never runs.
    ///
    /// `build` runs once the brokers are connected, and may make publishers from them.
    ///
    /// # Errors
    ///
    /// As [`start`](Self::start).
    pub async fn with_state<A, F>(app: A, build: F) -> Result<Self, TestError>
    where
        A: App<State = State>,
        F: FnOnce(&TestBrokers<'_>) -> State,
    {
        let (starting, _producer) = Starting::new(app.into_test_parts(), Mode::InProcess)?;
        let starting = starting.connect().await?;
        let state = starting.state(build);
        Self::opened(starting, state).await
    }

    /// For how long nothing may happen in process before a wait is given up, in real time: 30
    /// seconds, unless a test says otherwise here. [`Duration::MAX`] is for ever.
    ///
    /// A handler that never returns is then named by [`TestError::Stuck`]. Every delivery that ends
    /// and every handler that starts is something that happens, so a long reaction is none.
    ///
    /// ```
    /// # use ruststream::memory::MemoryBroker;
    /// # use ruststream::prelude::*;
    /// use std::future::pending;
    /// use std::time::Duration;
    ///
    /// use ruststream::testing::{TestApp, TestError};
    ///
    /// #[subscriber("arrivals")]
    /// async fn shelve(_id: &u32) {
    ///     pending().await
    /// }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let depot = RustStream::new(AppInfo::new("depot", "1.0.0"))
    /// #     .shutdown_timeout(Duration::ZERO)
    /// #     .with_broker(MemoryBroker::new(), |b| {
    /// #         b.include(shelve);
    /// #     });
    ///
    /// let tb = TestApp::start(depot).await?.patience(Duration::from_millis(20));
    /// let stuck = tb.publish("arrivals", &7).await.unwrap_err();
    /// assert!(matches!(&stuck, TestError::Stuck { running, .. } if running == &["arrivals"]));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn patience(self, patience: Duration) -> Self {
        self.rig.harness().set_patience(patience);
        self
    }

    async fn launched<A>(app: A, mode: Mode) -> Result<Self, TestError>
    where
        A: App<State = State>,
    {
        let (starting, producer) = Starting::new(app.into_test_parts(), mode)?;
        let state = producer.produce().await.map_err(TestError::Startup)?;
        Self::opened(starting.connect().await?, state).await
    }

    async fn opened(starting: Starting<State>, state: State) -> Result<Self, TestError> {
        Ok(Self {
            rig: starting.open(state).await?,
            state: PhantomData,
        })
    }

    /// Stops the service the way it stops in production.
    ///
    /// `on_shutdown` hooks, no further deliveries, the handlers in flight and then what they left
    /// behind, each within the service's shutdown timeout, the brokers in reverse, `after_shutdown`
    /// hooks. What outlasts a timeout is aborted, and nothing of the service holds its state
    /// afterwards. Hooks of the test that still run are dropped where they wait.
    ///
    /// # Errors
    ///
    /// The first of: a loop that panicked, a broker that refused to close, the failure that had
    /// stopped the service.
    pub async fn shutdown(mut self) -> Result<(), RustStreamError> {
        self.rig.shutdown().await
    }
}

impl<State: Send + Sync + 'static> TestApp<State> {
    /// The service's only broker of type `B`.
    ///
    /// # Panics
    ///
    /// Where the service has none, or several; those are told apart by their labels, see
    /// [`broker_named`](Self::broker_named).
    #[must_use]
    #[track_caller]
    pub fn broker<B>(&self) -> BrokerHandle<'_>
    where
        B: Broker + 'static,
        B::Connected: DefaultPublish,
        <<B::Connected as DefaultPublish>::Policy as PublishPolicy<B::Connected>>::Live: Publisher,
    {
        BrokerHandle::of::<B>(&self.rig)
    }

    /// The broker registered under `label`.
    ///
    /// # Panics
    ///
    /// Where there is none.
    #[must_use]
    #[track_caller]
    pub fn broker_named(&self, label: &str) -> BrokerHandle<'_> {
        BrokerHandle::named(&self.rig, label)
    }

    /// What was published through the `Out` slot `M` from inside its handler, on whatever broker.
    ///
    /// A publish counts when it is attempted, so one that the broker refused is among them.
    #[must_use]
    pub fn out<M: OutSlot>(&self) -> PublishedAssertions<()> {
        PublishedAssertions::through_slot(self.rig.harness(), M::NAME)
    }

    /// Sends `value` to the only broker under `name`, encoded by the default codec.
    ///
    /// # Errors
    ///
    /// [`TestError::Ambiguous`] where there is not exactly one broker, before anything is encoded;
    /// otherwise as [`BrokerHandle::publish`].
    #[cfg(any(feature = "json", feature = "cbor", feature = "msgpack"))]
    pub async fn publish<T: serde::Serialize + Sync>(
        &self,
        name: &str,
        value: &T,
    ) -> Result<(), TestError> {
        let scope = self.rig.sole_scope()?;
        BrokerHandle::untyped(&self.rig, scope)
            .publish(name, value)
            .await
    }

    /// Starts a publish of `value` to the only broker, with the builder that services use.
    ///
    /// The send reports [`TestError::Ambiguous`] where there is not exactly one.
    pub fn message<'a, T>(
        &'a self,
        value: &'a T,
    ) -> PublishBuilder<InjectSink<'a>, MessageBody<'a, T>, UnnamedCodec, HeadersUnset, T::Form>
    where
        T: OutgoingDestination,
    {
        message_of(
            InjectSink::new(&self.rig, Target::Sole),
            value,
            UnnamedCodec::new(),
        )
    }

    /// Waits until the service has come to rest, and sends nothing.
    ///
    /// For input that did not come through the harness: a publisher of the test's own, a replay.
    ///
    /// # Errors
    ///
    /// [`TestError::NotQuiescent`] where deliveries keep coming, [`TestError::Stuck`] where nothing
    /// happens any more; live, [`TestError::NotSettled`] at the deadline.
    pub async fn settle(&self) -> Result<(), TestError> {
        self.rig.settle().await
    }

    /// Lets time pass, brings about the redeliveries that fall due, and settles.
    ///
    /// In process it moves the paused clock; live, `by` of real time passes. A redelivery is due
    /// exactly at its delay. One that is scheduled while this settles counts from the end, so one
    /// call brings about one round.
    ///
    /// # Errors
    ///
    /// As [`settle`](Self::settle).
    ///
    /// # Panics
    ///
    /// In process on a clock that is not paused.
    pub async fn advance(&self, by: Duration) -> Result<(), TestError> {
        self.rig.advance(by).await
    }

    /// Waits until no work that handlers left for after their settlement is outstanding.
    ///
    /// That is what was attached to an outcome with `and_after` and registered on a context with
    /// `after(..)`, `after_ack` and `after_settle`. [`settle`](Self::settle) does not wait for it.
    pub async fn drain(&self) {
        self.rig.drain().await;
    }

    /// Why the service stopped, where a failure stopped it. It is not taken: `shutdown` reports it
    /// as well.
    ///
    /// # Errors
    ///
    /// [`RustStreamError::Dispatch`] from the failure on.
    pub fn run_result(&self) -> Result<(), RustStreamError> {
        match self.rig.failure() {
            Some(reason) => Err(RustStreamError::Dispatch(reason)),
            None => Ok(()),
        }
    }

    /// Asserts that nothing has stopped the service.
    ///
    /// # Panics
    ///
    /// Otherwise, with the reason.
    #[track_caller]
    pub fn assert_running(&self) {
        if self.rig.is_stopping() {
            let reason = self.rig.failure();
            let reason = reason.as_deref().unwrap_or("no failure was recorded");
            panic!("expected the service to be running, but it shut down: {reason}");
        }
    }

    /// Asserts that the service has stopped.
    ///
    /// # Panics
    ///
    /// While it runs.
    #[track_caller]
    pub fn assert_shut_down(&self) {
        assert!(
            self.rig.is_stopping(),
            "expected the service to be shut down, but it is running"
        );
    }
}

impl<State> fmt::Debug for TestApp<State> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let harness = self.rig.harness();
        f.debug_struct("TestApp")
            .field("mode", &harness.mode())
            .field("brokers", &harness.brokers().len())
            .field("subscribers", &self.rig.subscribers())
            .finish_non_exhaustive()
    }
}
