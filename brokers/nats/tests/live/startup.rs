//! What a service says that does not start.

use std::pin::pin;
use std::time::Duration;

use async_nats::ConnectOptions;
use futures_util::StreamExt;
use ruststream::runtime::BrokerScope;
use ruststream::{BatchSubscriber, nonzero};
use ruststream_nats::prelude::*;
use ruststream_nats_servers::binaries;
use serde::Deserialize;

use crate::support::{Logs, SOON, Server, on_every_server, on_every_server_with, until, within};

#[derive(Debug, Deserialize)]
struct Entry {
    #[expect(dead_code, reason = "nothing arrives")]
    id: u32,
}

#[subscriber(JetStreamSubject::new("ledger.*", "LEDGER").durable("book"))]
async fn book(_entry: &Entry) {}

#[subscriber(CoreSubject::new("secret.plans"))]
async fn plans(_entry: &Entry) {}

/// The error of the start, as a service's binary prints it.
async fn failed(broker: NatsBroker, mount: impl FnOnce(&mut BrokerScope<NatsBroker>)) -> String {
    let app = RustStream::new(AppInfo::new("books", "1.0.0")).with_broker(broker, mount);
    app.start()
        .await
        .map(drop)
        .expect_err("does not start")
        .to_string()
}

/// `said` has each of `parts` in it, and no password.
fn says(said: &str, parts: &[&str]) {
    for part in parts {
        assert!(said.contains(part), "no `{part}` in `{said}`");
    }
    assert!(!said.contains("s3cret"), "{said}");
}

fn mount(b: &mut BrokerScope<NatsBroker>) {
    b.include(book);
}

// NATS-15, NATS-180
#[tokio::test]
async fn a_server_that_is_not_there_is_named_without_credentials() {
    for binary in binaries() {
        let mut server = Server::start(&binary);
        server.kill();
        let port = server.port();
        let list = format!("nats://desk:s3cret@127.0.0.1:{port}, nats://127.0.0.1:1");

        let said = failed(NatsBroker::new(list), mount).await;

        let place = format!("at 127.0.0.1:{port},127.0.0.1:1");
        let beginning = "broker connect failed: nats connect failed: ";
        says(&said, &[beginning, &place, "refused"]);
    }
}

// NATS-15, NATS-180
#[tokio::test]
async fn a_wrong_password_is_named_as_a_refusal_of_that_server() {
    let config = "authorization { user: desk, password: right }";
    on_every_server_with(config, async |server| {
        let address = format!("nats://desk:s3cret@127.0.0.1:{}", server.port());

        let said = failed(NatsBroker::new(address), mount).await;

        let place = format!("at 127.0.0.1:{}", server.port());
        says(&said, &["authorization violation", &place]);
    })
    .await;
}

// NATS-56, NATS-180
#[tokio::test]
async fn a_missing_stream_is_named_with_its_subscription_and_its_server() {
    on_every_server(async |server| {
        let said = failed(NatsBroker::new(server.url()), mount).await;

        let place = format!("at 127.0.0.1:{}", server.port());
        let parts = [
            "subscription failed: nats jetstream operation failed: ",
            "stream not found",
            "`ledger.*`",
            "`LEDGER`",
            &place,
            "makes consumers and no streams",
        ];
        says(&said, &parts);
    })
    .await;
}

// NATS-56, NATS-180, NATS-F44
#[tokio::test]
async fn a_server_without_jetstream_is_named_with_the_subscription() {
    on_every_server_with("jetstream: disabled", async |server| {
        let said = failed(NatsBroker::new(server.url()), mount).await;

        let place = format!("at 127.0.0.1:{}", server.port());
        says(&said, &["`ledger.*`", "`LEDGER`", &place, "JetStream"]);
    })
    .await;
}

// NATS-35, NATS-180: nobody answers who may not ask
#[tokio::test]
async fn a_consumer_that_may_not_be_asked_for_is_named_as_a_question_of_permission() {
    let config = "authorization { users = [ { user: all, password: all },\n\
                  { user: desk, password: s3cret, permissions: {\n\
                  publish: { deny: \"$JS.API.CONSUMER.>\" } } } ] }";
    on_every_server_with(config, async |server| {
        let address = format!("nats://all:all@127.0.0.1:{}", server.port());
        let all = NatsBroker::new(address).connect().await.expect("connects");
        let config = async_nats::jetstream::stream::Config {
            name: "LEDGER".to_owned(),
            subjects: vec!["ledger.*".to_owned()],
            ..Default::default()
        };
        let made = all.jetstream().create_stream(config).await;
        made.expect("created");
        let address = format!("nats://desk:s3cret@127.0.0.1:{}", server.port());

        let said = failed(NatsBroker::new(address), mount).await;

        let place = format!("at 127.0.0.1:{}", server.port());
        let parts = ["timed out", "`ledger.*`", "`LEDGER`", &place, "allowed"];
        says(&said, &parts);
    })
    .await;
}

// NATS-35: the client's own line is all that there is
#[tokio::test]
async fn a_core_subscription_that_is_forbidden_shows_in_the_clients_line_alone() {
    let config = "authorization { users = [ { user: desk, password: s3cret, permissions: {\n\
                  subscribe: { deny: \"secret.>\" } } } ] }";
    on_every_server_with(config, async |server| {
        let logs = Logs::start();
        let options = ConnectOptions::with_user_and_password("desk".into(), "s3cret".into());
        let broker = NatsBroker::new(server.url()).with_options(options);
        let app = RustStream::new(AppInfo::new("books", "1.0.0"));
        let app = app.with_broker(broker, |b| {
            b.include(plans);
        });

        let running = app.start().await.expect("starts");

        until("the line", async || {
            let told = logs.all().concat();
            told.contains("INFO async_nats: event: server error: ")
                && told.contains("Permissions Violation for Subscription to \"secret.plans\"")
        })
        .await;
        running.shutdown().await.expect("stops");
    })
    .await;
}

// NATS-32, NATS-35: what may be opened and not pulled from
#[tokio::test]
async fn a_consumer_that_may_not_be_pulled_from_is_told_as_one_that_stays_silent() {
    let config = "authorization { users = [ { user: desk, password: s3cret, permissions: {\n\
                  publish: { deny: \"$JS.API.CONSUMER.MSG.NEXT.>\" } } } ] }";
    on_every_server_with(config, async |server| {
        let logs = Logs::start();
        let address = format!("nats://desk:s3cret@127.0.0.1:{}", server.port());
        let broker = NatsBroker::new(address).connect().await.expect("connects");
        let config = async_nats::jetstream::stream::Config {
            name: "LEDGER".to_owned(),
            subjects: vec!["ledger.*".to_owned()],
            ..Default::default()
        };
        let made = broker.jetstream().create_stream(config).await;
        made.expect("created");
        let source = JetStreamSubject::new("ledger.*", "LEDGER").durable("book");
        let source = source.pull_expires(NonZeroDuration::from_millis(nonzero!(200)));
        let mut subscriber = broker.subscribe_with(source).await.expect("opened");
        let mut batches = pin!(subscriber.batches(nonzero!(4)));

        let item = within(SOON, "an error", batches.next()).await;

        let error = item.expect("goes on").expect_err("nothing can come");
        says(&error.to_string(), &["may not pull"]);
        // It is tried again, and not told again.
        let more = tokio::time::timeout(Duration::from_secs(3), batches.next()).await;
        assert!(more.is_err(), "{more:?}");
        says(
            &logs.warning("pulling from the consumer failed"),
            &["LEDGER"],
        );
        assert!(!logs.with("another pull failed").is_empty());
    })
    .await;
}
