//! What the crate logs when something goes wrong.

use std::pin::pin;
use std::time::Duration;

use futures_util::StreamExt;
use ruststream::{BatchSubscriber, ConnectedBroker, IncomingMessage, Subscriber, nonzero};
use ruststream_nats::{JetStreamSubject, NatsError, NonZeroDuration};

use crate::support::{
    Logs, SOON, connect, next, on_every_server, on_every_server_with, publish, settled_up_to,
    stream, text, until, within,
};

fn durable() -> JetStreamSubject {
    JetStreamSubject::new("ledger.*", "LEDGER")
        .durable("book")
        .ack_wait(NonZeroDuration::from_secs(nonzero!(30)))
}

const UNCONFIRMED: &str = "what is still buffered may be lost";

// NATS-24
#[tokio::test]
async fn a_shutdown_that_the_server_does_not_confirm_warns_and_one_that_it_does_is_silent() {
    on_every_server(async |mut server| {
        let logs = Logs::start();
        connect(&server).await.shutdown().await.expect("closed");
        assert!(logs.with("").is_empty(), "{:?}", logs.with(""));

        let broker = connect(&server).await;
        publish(&broker, "scans", "1").await;
        server.kill();
        let _ended = within(SOON, "the shutdown", broker.shutdown()).await;

        logs.warning(UNCONFIRMED);
    })
    .await;
}

// NATS-23, NATS-24: an account that may not ask has its socket emptied, which is no round trip
#[tokio::test]
async fn a_shutdown_of_an_account_that_may_not_ask_is_bounded() {
    let config = "authorization { users = [ { user: desk, password: s3cret, permissions: {\n\
                  publish: { allow: \"scans\" } } } ] }";
    on_every_server_with(config, async |server| {
        let logs = Logs::start();
        let address = format!("nats://desk:s3cret@127.0.0.1:{}", server.port());
        let broker = ruststream_nats::NatsBroker::new(address);
        let broker = ruststream::Broker::connect(broker).await.expect("connects");
        publish(&broker, "scans", "1").await;

        let closed = within(SOON, "the shutdown", broker.shutdown()).await;

        assert!(closed.expect("closed").messages_sent() >= 1);
        assert!(logs.with(UNCONFIRMED).is_empty());
    })
    .await;
}

// NATS-32
#[tokio::test]
async fn a_failed_pull_is_one_warning_and_one_error_item() {
    on_every_server(async |server| {
        let stored = stream(&server, "LEDGER", &["ledger.*"]).await;
        let broker = connect(&server).await;
        let mut subscriber = broker.subscribe_with(durable()).await.expect("opened");
        publish(&broker, "ledger.a", "1").await;
        next(&mut subscriber)
            .await
            .ack()
            .await
            .expect("acknowledged");
        settled_up_to(&server, "LEDGER", "book", 1).await;
        let logs = Logs::start();
        let mut reading = pin!(subscriber.stream());
        let pending = tokio::time::timeout(Duration::from_millis(200), reading.next()).await;
        assert!(pending.is_err(), "a pull is waiting");

        stored.delete_consumer("book").await.expect("deleted");

        let item = within(SOON, "an item", reading.next()).await;
        let error = item.expect("the stream goes on").expect_err("the failure");
        assert!(matches!(error, NatsError::JetStream(_)), "{error}");
        let warning = logs.warning("pulling from the consumer failed");
        for told in [
            " error=",
            " subscription=\"ledger.*\"",
            " stream=\"LEDGER\"",
            " consumer=\"book\"",
        ] {
            assert!(warning.contains(told), "{warning}");
        }
        // It is read on, and made again under its name, which is told too.
        let item = within(SOON, "an item", reading.next()).await;
        assert_eq!(text(&item.expect("goes on").expect("delivered")), "1");
        let made = logs.warning("the consumer was gone and was made again");
        assert!(made.contains("consumer=book"), "{made}");
        assert!(made.contains("starts=\"as declared\""), "{made}");
        assert_eq!(logs.with("pulling from the consumer failed").len(), 1);
        let again = logs.with("the consumer is read again");
        assert_eq!(again.len(), 1, "{again:?}");
        assert!(again[0].starts_with("INFO ruststream::nats: "), "{again:?}");
    })
    .await;
}

// NATS-32
#[tokio::test]
async fn a_batch_that_fails_midway_comes_with_what_it_has_and_a_warning() {
    on_every_server(async |server| {
        let stored = stream(&server, "LEDGER", &["ledger.*"]).await;
        let broker = connect(&server).await;
        let wide = durable().pull_expires(NonZeroDuration::from_secs(nonzero!(30)));
        let mut subscriber = broker.subscribe_with(wide).await.expect("opened");
        publish(&broker, "ledger.a", "1").await;
        publish(&broker, "ledger.a", "2").await;
        let logs = Logs::start();
        let mut batches = pin!(subscriber.batches(nonzero!(4)));
        let pending = tokio::time::timeout(Duration::from_millis(300), batches.next()).await;
        assert!(pending.is_err(), "two of four have come");

        stored.delete_consumer("book").await.expect("deleted");

        let batch = within(SOON, "the batch", batches.next()).await;
        let batch = batch.expect("the stream goes on").expect("no error");
        assert_eq!(batch.iter().map(text).collect::<Vec<_>>(), ["1", "2"]);
        logs.warning("pulling from the consumer failed");
    })
    .await;
}

// NATS-30, NATS-20
#[tokio::test]
async fn an_outage_is_a_warning_when_it_begins_and_a_line_with_its_length_when_it_is_over() {
    let config = "authorization { user: desk, password: s3cret }";
    on_every_server_with(config, async |mut server| {
        let logs = Logs::start();
        let address = format!("nats://desk:s3cret@127.0.0.1:{}", server.port());
        let broker = ruststream_nats::NatsBroker::new(address);
        let broker = ruststream::Broker::connect(broker).await.expect("connects");
        assert!(logs.with("").is_empty(), "{:?}", logs.with(""));

        server.kill();
        until("the warning", async || {
            !logs.with("connection is lost").is_empty()
        })
        .await;
        server.again();
        until("its end", async || {
            !logs.with("connection is back").is_empty()
        })
        .await;

        let place = format!("server=\"127.0.0.1:{}\"", server.port());
        let lost = logs.warning("the nats connection is lost");
        assert!(lost.contains(&place), "{lost}");
        let told = logs.with("");
        assert_eq!(told.len(), 2, "{told:?}");
        let back = &told[1];
        assert!(back.starts_with("INFO ruststream::nats: "), "{back}");
        assert!(back.contains(&place) && back.contains(" down="), "{back}");
        assert!(!logs.all().concat().contains("s3cret"), "{:?}", logs.all());
        broker.shutdown().await.expect("closed");
    })
    .await;
}

// NATS-33
#[tokio::test]
async fn a_client_that_gives_up_and_one_that_another_drained_are_told() {
    on_every_server(async |mut server| {
        let logs = Logs::start();
        let drained = connect(&server).await;
        let mut scans = drained
            .subscribe_with(ruststream_nats::CoreSubject::new("scans"))
            .await
            .expect("opened");
        drained.client().drain().await.expect("drained");
        let end = within(SOON, "the end", async {
            pin!(scans.stream()).next().await.is_none()
        });
        assert!(end.await);
        logs.warning("was drained by another holder");

        let options = async_nats::ConnectOptions::new().max_reconnects(1);
        let broker = ruststream_nats::NatsBroker::new(server.url()).with_options(options);
        let broker = ruststream::Broker::connect(broker).await.expect("connects");
        let mut scans = broker
            .subscribe_with(ruststream_nats::CoreSubject::new("scans"))
            .await
            .expect("opened");
        server.kill();
        let end = within(SOON, "the end", async {
            pin!(scans.stream()).next().await.is_none()
        });
        assert!(end.await);
        let given_up = logs.with("gave up reconnecting");
        assert_eq!(given_up.len(), 1, "{given_up:?}");
        assert!(given_up[0].starts_with("ERROR ruststream::nats: "));
    })
    .await;
}
