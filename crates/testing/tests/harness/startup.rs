//! The start of a service under test, and what undoes one that failed (TEST-09 to TEST-12).

use ruststream::memory::MemoryBroker;
use ruststream::prelude::*;
use ruststream::testing::{TestApp, TestError};
use ruststream::{ConnectedBroker, DefaultPublish};

use crate::support::station::{Ground, Station};
use crate::support::{Journal, Parcel, assert_contains, info};

#[subscriber]
async fn receive(_parcel: &Parcel) {}

#[derive(Debug, thiserror::Error)]
#[error("the depot is flooded")]
struct Flooded;

fn hook<S>(
    journal: &Journal,
    line: &'static str,
) -> impl FnOnce(S) -> std::future::Ready<Result<(), Flooded>> + Send + use<S> {
    let journal = journal.clone();
    move |_| {
        journal.note(line);
        std::future::ready(Ok(()))
    }
}

/// Two stations, two subscriptions, every hook.
fn depot(ground: &Ground) -> impl App<State = ()> + use<> {
    let journal = &ground.journal;
    RustStream::new(info())
        .on_startup(hook::<()>(journal, "on_startup"))
        .after_startup(hook(journal, "after_startup"))
        .on_shutdown(hook(journal, "on_shutdown"))
        .after_shutdown(hook(journal, "after_shutdown"))
        .with_broker_labeled("first", Station::new("a", ground), |b| {
            b.include(receive.name("one"));
        })
        .with_broker_labeled("second", Station::new("b", ground), |b| {
            b.include(receive.name("two"));
        })
}

const STARTED: [&str; 8] = [
    "on_startup",
    "connect a",
    "install a",
    "connect b",
    "install b",
    "subscribe one",
    "subscribe two",
    "after_startup",
];

const STOPPED: [&str; 4] = ["on_shutdown", "shutdown b", "shutdown a", "after_shutdown"];

// TEST-09, TEST-27
#[tokio::test]
async fn in_process_order() {
    let ground = Ground::default();
    let tb = TestApp::start(depot(&ground)).await.unwrap();
    assert_eq!(ground.journal.take(), STARTED);
    tb.assert_running();
    tb.shutdown().await.unwrap();
    assert_eq!(ground.journal.take(), STOPPED);
}

// TEST-11: live no coordinator is installed.
#[tokio::test]
async fn live_order() {
    let ground = Ground::default();
    let tb = TestApp::start_live(depot(&ground)).await.unwrap();
    let started = STARTED.iter().filter(|line| !line.starts_with("install"));
    assert_eq!(ground.journal.take(), started.copied().collect::<Vec<_>>());
    tb.shutdown().await.unwrap();
    assert_eq!(ground.journal.take(), STOPPED);
}

// TEST-12, TEST-09
#[tokio::test]
async fn a_failed_on_startup_connects_nothing() {
    for live in [false, true] {
        let ground = Ground::default();
        let app = RustStream::new(info())
            .on_startup(async |()| Err::<(), _>(Flooded))
            .with_broker(Station::new("a", &ground), |b| {
                b.include(receive.name("parcels"));
            });
        let failed = if live {
            TestApp::start_live(app).await
        } else {
            TestApp::start(app).await
        };
        let Err(TestError::Startup(source)) = failed else {
            panic!("must not start");
        };
        assert!(source.is::<Flooded>());
        assert!(ground.journal.take().is_empty());
    }
}

// TEST-12
#[tokio::test]
async fn a_failed_connect_names_its_broker_and_shuts_the_earlier_ones_down() {
    for live in [false, true] {
        let ground = Ground::default();
        ground.refuse("connect b");
        let failed = if live {
            TestApp::start_live(depot(&ground)).await
        } else {
            TestApp::start(depot(&ground)).await
        };
        let Err(TestError::Connect { broker, source }) = failed else {
            panic!("must not start");
        };
        assert_eq!(
            (broker.as_str(), source.to_string().as_str()),
            ("second", "the station refuses to connect b")
        );
        let lines = ground.journal.take();
        assert_eq!(lines.last().unwrap(), "shutdown a", "{lines:?}");
        assert!(
            !lines
                .iter()
                .any(|line| line.contains("subscribe") || line.contains("_shutdown"))
        );
    }
    let ground = Ground::default();
    ground.refuse("connect a");
    let app = RustStream::new(info()).register_broker(Station::new("a", &ground));
    let failed = TestApp::start(app).await.unwrap_err();
    assert_contains(
        &failed.to_string(),
        &["support::station::Station", "connect a"],
    );
    assert!(std::error::Error::source(&failed).is_some());
}

// TEST-12
#[tokio::test]
async fn a_subscription_that_does_not_open_takes_everything_down() {
    let ground = Ground::default();
    ground.refuse("subscribe two");
    let Err(TestError::Subscribe(source)) = TestApp::start(depot(&ground)).await else {
        panic!("must not start");
    };
    assert_contains(&source.to_string(), &["subscribe two"]);
    let lines = ground.journal.take();
    assert_eq!(
        lines[lines.len() - 3..],
        ["subscribe one", "shutdown b", "shutdown a"]
    );
}

// TEST-12
#[tokio::test]
async fn a_failed_after_startup_hook_shuts_the_brokers_down() {
    let ground = Ground::default();
    let app = RustStream::new(info())
        .after_startup(async |_: std::sync::Arc<()>| Err(Flooded))
        .on_shutdown(hook(&ground.journal, "on_shutdown"))
        .with_broker(Station::new("a", &ground), |b| {
            b.include(receive.name("parcels"));
        });
    let Err(TestError::Startup(source)) = TestApp::start(app).await else {
        panic!("must not start");
    };
    assert!(source.is::<Flooded>());
    assert_eq!(ground.journal.take().last().unwrap(), "shutdown a");
}

/// A broker that no test can run in process.
struct Remote;

struct ConnectedRemote;

impl Broker for Remote {
    type Error = Flooded;
    type Connected = ConnectedRemote;

    async fn connect(self) -> Result<ConnectedRemote, Flooded> {
        Ok(ConnectedRemote)
    }
}

impl ConnectedBroker for ConnectedRemote {
    type Error = Flooded;
    type Closed = ();

    async fn shutdown(self) -> Result<(), Flooded> {
        Ok(())
    }
}

#[derive(Debug, Default)]
struct RemotePublish;

impl PublishPolicy<ConnectedRemote> for RemotePublish {
    type Live = ruststream::memory::MemoryPublisher;

    async fn pair(self, _: &ConnectedRemote) -> Result<Self::Live, ruststream::PairError> {
        Ok(MemoryBroker::new().publisher())
    }
}

impl DefaultPublish for ConnectedRemote {
    type Policy = RemotePublish;
}

// TEST-09, TEST-12, Trap 15
#[tokio::test]
async fn a_broker_without_an_in_process_mode_fails_before_anything_ran() {
    let journal = Journal::default();
    let app = || {
        RustStream::new(info())
            .on_startup(hook::<()>(&journal, "on_startup"))
            .register_broker(Remote)
    };
    for failed in [
        TestApp::start(app()).await,
        TestApp::with_state(app(), |_| journal.note("state")).await,
    ] {
        let text = failed.unwrap_err().to_string();
        assert_contains(
            &text,
            &["Remote", "`testing` feature", "[dev-dependencies]"],
        );
    }
    assert!(journal.take().is_empty());
}

// TEST-11, TEST-21: live no registration is needed where the type is named.
#[tokio::test]
async fn live_a_broker_without_registration_is_sent_to_by_its_type() {
    let app = RustStream::new(info()).register_broker(Remote);
    let tb = TestApp::start_live(app).await.unwrap();
    tb.broker::<Remote>().publish("parcels", &1).await.unwrap();
    tb.broker::<Remote>()
        .published::<u32>("parcels")
        .assert_called_once()
        .with(&1);
    let refused = tb.publish("parcels", &1).await;
    assert!(matches!(refused, Err(TestError::NoTransport(name)) if name.contains("Remote")));
}

// TEST-11
#[tokio::test(start_paused = true)]
async fn live_on_a_paused_clock_nothing_starts() {
    let ground = Ground::default();
    let refused = TestApp::start_live(depot(&ground)).await;
    let Err(TestError::PausedClock) = refused else {
        panic!("must not start");
    };
    assert_contains(
        &TestError::PausedClock.to_string(),
        &["start_paused", "TestApp::start"],
    );
    assert!(ground.journal.take().is_empty());
}
