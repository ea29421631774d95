//! Subscriptions across a server that ends and comes back.

use std::collections::BTreeMap;
use std::pin::pin;
use std::time::{Duration, Instant};

use async_nats::connection::State;
use futures_util::StreamExt;
use ruststream::{
    BatchSubscriber, Broker, ConnectedBroker, IncomingMessage, Publisher, Subscriber, nonzero,
};
use ruststream_nats::{
    ConnectedNatsBroker, CoreSubject, JetStreamOptions, JetStreamPublish, JetStreamSubject,
    NatsBroker, NatsError, NatsSubscriber, NonZeroDuration,
};

use crate::support::{
    SOON, Server, connect, message, next, on_every_server, publish, raw, stream, text, until,
    within,
};

/// How soon after the reconnect a subscription must deliver again.
const RESUMES: Duration = Duration::from_secs(3);

fn durable() -> JetStreamSubject {
    JetStreamSubject::new("ledger.*", "LEDGER")
        .durable("book")
        .ack_wait(NonZeroDuration::from_secs(nonzero!(2)))
}

#[derive(Clone, Copy)]
enum Ends {
    Stopped,
    Killed,
}

impl Ends {
    fn end(self, server: &mut Server) {
        match self {
            Self::Stopped => server.stop(),
            Self::Killed => server.kill(),
        }
    }
}

async fn reconnected(broker: &ConnectedNatsBroker, connects: u64) {
    let client = broker.client();
    until("the reconnect", async || {
        client.connection_state() == State::Connected
            && client
                .statistics()
                .connects
                .load(std::sync::atomic::Ordering::Relaxed)
                > connects
    })
    .await;
}

fn connects(broker: &ConnectedNatsBroker) -> u64 {
    broker
        .client()
        .statistics()
        .connects
        .load(std::sync::atomic::Ordering::Relaxed)
}

/// Publishes until the stream has it.
async fn store(server: &Server, subject: &str, payload: &str) {
    let context = async_nats::jetstream::new(raw(server).await);
    let ack = context
        .publish(subject.to_owned(), payload.to_owned().into())
        .await
        .expect("sent");
    ack.await.expect("stored");
}

async fn resumes_one_by_one(ends: Ends) {
    on_every_server(async |mut server| {
        stream(&server, "LEDGER", &["ledger.*"]).await;
        let broker = connect(&server).await;
        let mut subscriber = broker.subscribe_with(durable()).await.expect("opened");
        store(&server, "ledger.a", "before").await;
        next(&mut subscriber)
            .await
            .ack()
            .await
            .expect("acknowledged");
        // The acknowledgement of the last moments before a kill is lost with the server.
        tokio::time::sleep(Duration::from_millis(300)).await;
        let before = connects(&broker);
        let mut reading = pin!(subscriber.stream());
        let pending = tokio::time::timeout(Duration::from_millis(200), reading.next()).await;
        assert!(pending.is_err(), "a pull is waiting");

        ends.end(&mut server);
        server.again();
        reconnected(&broker, before).await;
        let since = Instant::now();
        store(&server, "ledger.a", "after").await;

        let delivered = within(SOON, "a delivery", async {
            loop {
                match reading.next().await.expect("the stream goes on") {
                    Ok(delivery) => return delivery,
                    Err(error) => eprintln!("on the way: {error}"),
                }
            }
        })
        .await;
        let took = since.elapsed();
        assert_eq!(text(&delivered), "after");
        assert!(took < RESUMES, "took {took:?}");
        delivered.ack().await.expect("acknowledged");
    })
    .await;
}

// NATS-31, NATS-T40
#[tokio::test]
async fn a_durable_resumes_after_its_server_was_stopped() {
    resumes_one_by_one(Ends::Stopped).await;
}

// NATS-31, NATS-T41
#[tokio::test]
async fn a_durable_resumes_after_its_server_was_killed() {
    resumes_one_by_one(Ends::Killed).await;
}

async fn resumes_in_batches(ends: Ends) {
    on_every_server(async |mut server| {
        stream(&server, "LEDGER", &["ledger.*"]).await;
        let broker = connect(&server).await;
        let mut subscriber = broker.subscribe_with(durable()).await.expect("opened");
        let before = connects(&broker);
        let mut batches = pin!(subscriber.batches(nonzero!(4)));
        let pending = tokio::time::timeout(Duration::from_millis(200), batches.next()).await;
        assert!(pending.is_err(), "a pull is waiting");

        ends.end(&mut server);
        server.again();
        reconnected(&broker, before).await;
        let since = Instant::now();
        for _ in 0..4 {
            store(&server, "ledger.a", "after").await;
        }

        let mut errors = 0;
        let batch = within(SOON, "a batch", async {
            loop {
                match batches.next().await.expect("the stream goes on") {
                    Ok(batch) => return batch,
                    Err(error) => {
                        eprintln!("on the way: {error}");
                        errors += 1;
                    }
                }
            }
        })
        .await;
        let took = since.elapsed();
        assert!(took < RESUMES, "took {took:?}");
        assert!(errors <= 1, "{errors} errors");
        assert_eq!(text(&batch[0]), "after");
    })
    .await;
}

// NATS-31, NATS-T42
#[tokio::test]
async fn batches_resume_after_the_server_was_stopped() {
    resumes_in_batches(Ends::Stopped).await;
}

// NATS-31, NATS-T43
#[tokio::test]
async fn batches_resume_after_the_server_was_killed_and_do_not_wait_for_their_pull() {
    resumes_in_batches(Ends::Killed).await;
}

// NATS-T44
#[tokio::test]
async fn twenty_unacknowledged_deliveries_all_come_back_after_a_kill() {
    on_every_server(async |mut server| {
        stream(&server, "LEDGER", &["ledger.*"]).await;
        let broker = connect(&server).await;
        let mut subscriber = broker.subscribe_with(durable()).await.expect("opened");
        for number in 0..20 {
            store(&server, "ledger.a", &number.to_string()).await;
        }
        let mut held = Vec::new();
        for _ in 0..20 {
            held.push(next(&mut subscriber).await);
        }

        server.kill();
        drop(held);
        server.again();

        let mut seen = BTreeMap::new();
        while seen.len() < 20 {
            let delivery = next(&mut subscriber).await;
            *seen.entry(text(&delivery)).or_insert(0) += 1;
            assert!(delivery.redelivery_count() >= Some(1));
            delivery.ack().await.expect("acknowledged");
        }
    })
    .await;
}

// NATS-F52, NATS-T45
#[tokio::test]
async fn a_delay_outlives_the_server() {
    on_every_server(async |mut server| {
        stream(&server, "LEDGER", &["ledger.*"]).await;
        let broker = connect(&server).await;
        let mut subscriber = broker.subscribe_with(durable()).await.expect("opened");
        store(&server, "ledger.a", "held").await;
        let delivery = next(&mut subscriber).await;
        let asked = Instant::now();
        delivery
            .nack_after(Duration::from_secs(4))
            .await
            .expect("handed back");
        // A kill forgets what the server was told in its last moments.
        tokio::time::sleep(Duration::from_millis(500)).await;

        server.kill();
        server.again();

        let again = next(&mut subscriber).await;
        let took = asked.elapsed();
        // A server keeps the times of pending messages in whole seconds.
        assert!(
            (Duration::from_millis(2900)..Duration::from_secs(6)).contains(&took),
            "{took:?}"
        );
        again.ack().await.expect("acknowledged");
    })
    .await;
}

// NATS-F53, NATS-T46
#[tokio::test]
async fn a_kill_in_the_middle_of_a_stream_loses_no_message() {
    on_every_server(async |mut server| {
        stream(&server, "LEDGER", &["ledger.*"]).await;
        let context = async_nats::jetstream::new(raw(&server).await);
        for number in 0..500 {
            let sent = context
                .publish("ledger.a", number.to_string().into())
                .await
                .expect("sent");
            sent.await.expect("stored");
        }
        let broker = connect(&server).await;
        let mut subscriber = broker.subscribe_with(durable()).await.expect("opened");
        let mut seen = BTreeMap::new();
        while seen.len() < 180 {
            let delivery = next(&mut subscriber).await;
            *seen.entry(text(&delivery)).or_insert(0) += 1;
            delivery.ack().await.expect("acknowledged");
        }

        server.kill();
        server.again();

        while seen.len() < 500 {
            let delivery = next(&mut subscriber).await;
            *seen.entry(text(&delivery)).or_insert(0) += 1;
            delivery.ack().await.expect("acknowledged");
        }
    })
    .await;
}

// NATS-30, NATS-F55, NATS-T47
#[tokio::test]
async fn a_core_subscription_hears_again_after_a_restart() {
    on_every_server(async |mut server| {
        let broker = connect(&server).await;
        let mut subscriber = broker
            .subscribe_with(CoreSubject::new("scans"))
            .await
            .expect("opened");
        let before = connects(&broker);

        server.kill();
        server.again();
        reconnected(&broker, before).await;
        publish(&broker, "scans", "after").await;

        assert_eq!(text(&next(&mut subscriber).await), "after");
    })
    .await;
}

// NATS-F54, NATS-T48
#[tokio::test]
async fn publishes_repeated_by_their_message_id_are_stored_exactly_once_across_a_kill() {
    on_every_server(async |mut server| {
        stream(&server, "LEDGER", &["ledger.*"]).await;
        let broker = connect(&server).await;
        let publisher = broker.publisher(JetStreamPublish::default().expect_stream("LEDGER"));
        let publishing = tokio::spawn(async move {
            for number in 0..200 {
                let id = format!("id-{number}");
                let options = JetStreamOptions {
                    message_id: Some(id.clone()),
                    ..Default::default()
                };
                while publisher
                    .publish(message("ledger.a", &id), Some(&options))
                    .await
                    .is_err()
                {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            }
        });
        tokio::time::sleep(Duration::from_millis(30)).await;

        server.kill();
        server.again();

        within(Duration::from_mins(1), "the publishes", publishing)
            .await
            .expect("published");
        let context = async_nats::jetstream::new(raw(&server).await);
        let info = context.get_stream("LEDGER").await.expect("the stream");
        assert_eq!(info.cached_info().state.messages, 200);
    })
    .await;
}

// NATS-30, NATS-100: `Ok` says that the client took the frame, which it sends once it is back
#[tokio::test]
async fn a_publish_while_the_server_is_away_is_taken_and_sent_after_the_reconnect() {
    on_every_server(async |mut server| {
        stream(&server, "LEDGER", &["ledger.*"]).await;
        let broker = connect(&server).await;
        let before = connects(&broker);
        server.kill();
        let client = broker.client();
        until("the loss", async || {
            client.connection_state() != State::Connected
        })
        .await;

        publish(&broker, "ledger.a", "meanwhile").await;
        server.again();
        reconnected(&broker, before).await;

        let context = async_nats::jetstream::new(raw(&server).await);
        let stored = context.get_stream("LEDGER").await.expect("the stream");
        until("the message", async || {
            let info = stored.get_info().await.expect("told");
            info.state.messages == 1
        })
        .await;
        let message = stored.get_raw_message(1).await.expect("the message");
        assert_eq!(&message.payload[..], b"meanwhile");
    })
    .await;
}

// NATS-15, NATS-33, NATS-T50
#[tokio::test]
async fn a_server_that_is_down_is_a_connect_error_and_one_that_stays_down_ends_the_stream() {
    on_every_server(async |mut server| {
        let options = async_nats::ConnectOptions::new().max_reconnects(1);
        let broker = NatsBroker::new(server.url()).with_options(options);
        let connected = broker.clone().connect().await.expect("connects");
        let mut subscriber: NatsSubscriber = connected
            .subscribe_with(CoreSubject::new("scans"))
            .await
            .expect("opened");

        server.kill();

        let ended = within(SOON, "the end", async {
            pin!(subscriber.stream()).next().await
        })
        .await;
        assert!(ended.is_none());
        let error = within(SOON, "a refusal", broker.connect())
            .await
            .expect_err("nobody there");
        assert!(matches!(error, NatsError::Connect(_)), "{error}");
        let _down = connected.shutdown().await;
    })
    .await;
}

// NATS-24, NATS-T31
#[tokio::test]
async fn a_shutdown_does_not_wait_for_a_server_that_is_gone() {
    on_every_server(async |mut server| {
        let broker = connect(&server).await;
        server.kill();
        let since = Instant::now();

        let _ended = within(SOON, "the shutdown", broker.shutdown()).await;

        assert!(
            since.elapsed() < Duration::from_secs(6),
            "{:?}",
            since.elapsed()
        );
    })
    .await;
}
