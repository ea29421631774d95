//! Whole services that lose what they read from, and what their health says.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use async_nats::ConnectOptions;
use async_nats::jetstream;
use ruststream::runtime::{HealthState, RunningApp, SubscriptionEnd};
use ruststream_nats::prelude::*;

use crate::outages::{Entry, started, store};
use crate::support::{Logs, Server, on_every_server, raw, stream, until};

static RUNS: AtomicU32 = AtomicU32::new(0);

#[subscriber(JetStreamSubject::new("ledger.*", "LEDGER").durable("kept"))]
async fn kept(_entry: &Entry) {
    RUNS.fetch_add(1, Ordering::Relaxed);
}

// Issue 6: a stream and a consumer that are deleted, and what the service makes of it
#[tokio::test]
async fn a_service_goes_on_after_its_consumer_and_its_stream_were_made_anew() {
    on_every_server(async |server| {
        RUNS.store(0, Ordering::Relaxed);
        let runs = async |wanted| {
            until("a run", async || RUNS.load(Ordering::Relaxed) >= wanted).await;
        };
        let stored = stream(&server, "LEDGER", &["ledger.*"]).await;
        let app = started(&server, |b| {
            b.include(kept);
        })
        .await;
        let health = app.health();
        store(&server, 1).await;
        runs(1).await;

        stored.delete_consumer("kept").await.expect("deleted");
        store(&server, 2).await;
        // Made anew, a durable starts over: 1 comes again.
        runs(3).await;
        assert!(health.is_running());

        let logs = Logs::start();
        let context = jetstream::new(raw(&server).await);
        context.delete_stream("LEDGER").await.expect("deleted");
        tokio::time::sleep(Duration::from_secs(3)).await;
        // The deleted consumer and the missing stream, each told once by the broker and the runtime.
        let mut told = logs.with("");
        told.retain(|line| !line.starts_with("DEBUG"));
        assert!((2..=4).contains(&told.len()), "{told:#?}");
        for line in logs.with("subscriber stream error") {
            assert!(line.contains("subscription=ledger.*"), "{line}");
        }
        stream(&server, "LEDGER", &["ledger.*"]).await;
        store(&server, 3).await;
        runs(4).await;
        let again = logs.with("INFO ruststream::nats: the consumer is read again");
        assert_eq!(again.len(), 1, "{again:?}");
        for told in ["ledger.*", "LEDGER", "kept", "lasted="] {
            assert!(again[0].contains(told), "{again:?}");
        }

        assert!(health.is_running());
        assert_eq!(health.subscriptions().active, 1);
        app.shutdown().await.expect("stops");
    })
    .await;
}

#[subscriber(CoreSubject::new("scans"))]
async fn sorted(_entry: &Entry) {}

async fn gives_up(server: &Server, end: SubscriptionEnd) -> RunningApp {
    let options = ConnectOptions::new().max_reconnects(1);
    let broker = NatsBroker::new(server.url()).with_options(options);
    let app = RustStream::new(AppInfo::new("books", "1.0.0"))
        .on_subscription_end(end)
        .with_broker(broker, |b| {
            b.include(sorted);
        });
    app.start().await.expect("starts")
}

// NATS-33
#[tokio::test]
async fn a_client_that_gives_up_shows_in_the_health_of_its_service() {
    on_every_server(async |mut server| {
        let logs = gives_up(&server, SubscriptionEnd::Log).await;
        let fails = gives_up(&server, SubscriptionEnd::FailFast).await;
        let (lives, failed) = (logs.health(), fails.health());
        assert_eq!(
            (lives.subscriptions().active, failed.is_running()),
            (1, true)
        );

        server.kill();

        until("the end of the subscription", async || {
            lives.subscriptions().active == 0
        })
        .await;
        assert!(lives.is_running());
        until("the failure", async || !failed.is_running()).await;
        let HealthState::Failed { reason } = failed.state() else {
            panic!("{:?}", failed.state());
        };
        assert!(reason.starts_with("scans: "), "{reason}");
        let _not_drained = logs.shutdown().await;
        let _failed = fails.shutdown().await;
    })
    .await;
}
