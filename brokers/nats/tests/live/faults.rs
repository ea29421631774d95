//! What happens to a connection, a stream or a consumer, and what subscriptions make of it.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use async_nats::Event;
use futures_util::StreamExt;
use ruststream::{Broker, IncomingMessage, Publisher, Subscriber, nonzero};
use ruststream_nats::{
    CoreSubject, JetStreamPublish, JetStreamSubject, NatsBroker, NatsError, NatsPublish,
    NonZeroDuration,
};

use crate::support::{
    Proxy, Server, connect, message, next, on_every_server, on_every_server_with, publish, raw,
    settled_up_to, stream, text, until,
};

fn durable() -> JetStreamSubject {
    JetStreamSubject::new("ledger.*", "LEDGER")
        .durable("book")
        .ack_wait(NonZeroDuration::from_secs(nonzero!(2)))
}

async fn context(server: &Server) -> async_nats::jetstream::Context {
    async_nats::jetstream::new(raw(server).await)
}

// NATS-30, NATS-31
#[tokio::test]
async fn a_cut_link_that_is_restored_loses_nothing_of_a_stream() {
    on_every_server(async |server| {
        stream(&server, "LEDGER", &["ledger.*"]).await;
        let proxy = Proxy::to(server.port()).await;
        let broker = NatsBroker::new(proxy.url())
            .connect()
            .await
            .expect("connects");
        let mut subscriber = broker.subscribe_with(durable()).await.expect("opened");
        let mut core = broker
            .subscribe_with(CoreSubject::new("scans"))
            .await
            .expect("opened");
        let beside = context(&server).await;
        beside
            .publish("ledger.a", "1".into())
            .await
            .expect("sent")
            .await
            .expect("stored");
        next(&mut subscriber)
            .await
            .ack()
            .await
            .expect("acknowledged");

        proxy.cut();
        beside
            .publish("ledger.a", "2".into())
            .await
            .expect("sent")
            .await
            .expect("stored");
        proxy.restore();

        // An acknowledgement on its way when the link was cut is lost, and its message comes again.
        loop {
            let delivery = next(&mut subscriber).await;
            let payload = text(&delivery);
            delivery.ack().await.expect("acknowledged");
            if payload == "2" {
                break;
            }
        }
        publish(&broker, "scans", "3").await;
        assert_eq!(text(&next(&mut core).await), "3");
    })
    .await;
}

// Trap 18
#[tokio::test]
async fn a_deleted_durable_is_made_again() {
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
        let mut reading = pin!(subscriber.stream());
        let pending = tokio::time::timeout(Duration::from_millis(200), reading.next()).await;
        assert!(pending.is_err(), "a pull is waiting");

        stored.delete_consumer("book").await.expect("deleted");
        publish(&broker, "ledger.a", "2").await;

        let mut errors = 0;
        let mut seen = Vec::new();
        while !seen.contains(&"2".to_owned()) {
            let item = tokio::time::timeout(Duration::from_secs(10), reading.next()).await;
            match item.expect("in time").expect("the stream goes on") {
                Ok(delivery) => {
                    seen.push(text(&delivery));
                    delivery.ack().await.expect("acknowledged");
                }
                Err(error) => {
                    assert!(matches!(error, NatsError::JetStream(_)), "{error}");
                    errors += 1;
                }
            }
        }
        assert_eq!(errors, 1, "it is said once");
    })
    .await;
}

// Trap 18, NATS-32
#[tokio::test]
async fn a_deleted_stream_is_said_once_and_read_again_once_it_exists() {
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
        let mut reading = pin!(subscriber.stream());
        let pending = tokio::time::timeout(Duration::from_millis(200), reading.next()).await;
        assert!(pending.is_err(), "a pull is waiting");

        context(&server)
            .await
            .delete_stream("LEDGER")
            .await
            .expect("deleted");
        drop(stored);
        let mut errors = 0;
        let paced = tokio::time::timeout(Duration::from_secs(2), async {
            loop {
                let error = reading
                    .next()
                    .await
                    .expect("the stream goes on")
                    .expect_err("gone");
                assert!(matches!(error, NatsError::JetStream(_)), "{error}");
                errors += 1;
            }
        });
        assert!(paced.await.is_err(), "it goes on");
        // That the consumer was deleted, and that the stream is not there.
        assert!((1..=2).contains(&errors), "{errors} errors");

        stream(&server, "LEDGER", &["ledger.*"]).await;
        publish(&broker, "ledger.a", "2").await;
        let delivery = loop {
            let item = tokio::time::timeout(Duration::from_secs(10), reading.next()).await;
            if let Ok(delivery) = item.expect("in time").expect("the stream goes on") {
                break delivery;
            }
        };
        assert_eq!(text(&delivery), "2");
    })
    .await;
}

// NATS-47
#[tokio::test]
async fn a_removed_ephemeral_consumer_goes_on_at_the_first_unsettled_message() {
    on_every_server(async |server| {
        let stored = stream(&server, "LEDGER", &["ledger.*"]).await;
        let broker = connect(&server).await;
        let source = JetStreamSubject::new("ledger.*", "LEDGER");
        let mut subscriber = broker.subscribe_with(source).await.expect("opened");
        for number in ["1", "2", "3"] {
            publish(&broker, "ledger.a", number).await;
        }
        next(&mut subscriber)
            .await
            .ack()
            .await
            .expect("acknowledged");
        let held = next(&mut subscriber).await;
        next(&mut subscriber)
            .await
            .ack()
            .await
            .expect("acknowledged");
        let mut names = stored.consumer_names();
        let name = names.next().await.expect("one").expect("a name");

        stored.delete_consumer(&name).await.expect("deleted");
        held.nack(true).await.expect("said to nobody");
        publish(&broker, "ledger.a", "4").await;

        let mut seen = Vec::new();
        while seen.last().map(String::as_str) != Some("4") {
            let delivery = next(&mut subscriber).await;
            seen.push(text(&delivery));
            delivery.ack().await.expect("acknowledged");
        }
        // At least once: what was settled after it comes again.
        assert_eq!(seen, ["2", "3", "4"]);
    })
    .await;
}

// Issue 6: a server in lame-duck mode
#[tokio::test]
async fn a_server_in_lame_duck_mode_is_left_and_found_again() {
    let config = "lame_duck_duration: \"30s\"\nlame_duck_grace_period: \"1s\"";
    on_every_server_with(config, async |mut server| {
        stream(&server, "LEDGER", &["ledger.*"]).await;
        let broker = connect(&server).await;
        let mut subscriber = broker.subscribe_with(durable()).await.expect("opened");
        publish(&broker, "ledger.a", "1").await;
        next(&mut subscriber)
            .await
            .ack()
            .await
            .expect("acknowledged");
        settled_up_to(&server, "LEDGER", "book", 1).await;

        server.lame_duck();
        until("its end", async || server.has_ended()).await;
        server.again();
        // The client comes back by itself.
        let beside = context(&server).await;
        beside
            .publish("ledger.a", "2".into())
            .await
            .expect("sent")
            .await
            .expect("stored");

        assert_eq!(text(&next(&mut subscriber).await), "2");
    })
    .await;
}

// NATS-34, NATS-T32
#[tokio::test]
async fn a_slow_consumer_is_an_event_and_the_subscription_goes_on() {
    on_every_server(async |server| {
        let events = Arc::new(AtomicU32::new(0));
        let seen = Arc::clone(&events);
        let options = async_nats::ConnectOptions::new()
            .subscription_capacity(16)
            .event_callback(move |event| {
                let seen = Arc::clone(&seen);
                async move {
                    if matches!(event, Event::SlowConsumer(_)) {
                        seen.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        let broker = NatsBroker::new(server.url()).with_options(options);
        let broker = broker.connect().await.expect("connects");
        let mut subscriber = broker
            .subscribe_with(CoreSubject::new("scans"))
            .await
            .expect("opened");
        let beside = raw(&server).await;

        for number in 0..1000 {
            beside
                .publish("scans", number.to_string().into())
                .await
                .expect("sent");
        }
        beside.flush().await.expect("flushed");
        until("the event", async || events.load(Ordering::Relaxed) > 0).await;

        // What is sent while the buffer is full is dropped too; so it is sent until it is heard.
        let sending = tokio::spawn(async move {
            loop {
                beside.publish("scans", "after".into()).await.expect("sent");
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        });
        while text(&next(&mut subscriber).await) != "after" {}
        sending.abort();
    })
    .await;
}

// NATS-15, NATS-35, NATS-T33
#[tokio::test]
async fn a_wrong_password_is_a_connect_error_and_forbidden_subjects_are_silent() {
    let config = "authorization { users = [ { user: \"desk\", password: \"s3cret\", permissions: {\n\
                  publish: { deny: \"secret.>\" }, subscribe: { deny: \"secret.>\" } } } ] }";
    on_every_server_with(config, async |server| {
        let with = |password: &str| {
            let options =
                async_nats::ConnectOptions::with_user_and_password("desk".into(), password.into());
            NatsBroker::new(server.url()).with_options(options)
        };
        let error = with("wrong").connect().await.expect_err("refused");
        assert!(matches!(error, NatsError::Connect(_)), "{error}");
        assert!(!error.to_string().contains("wrong"), "{error}");

        let broker = with("s3cret").connect().await.expect("connects");
        let mut secret = broker
            .subscribe_with(CoreSubject::new("secret.plans"))
            .await
            .expect("opens");
        publish(&broker, "secret.plans", "1").await;
        crate::support::assert_quiet(&mut secret).await;
        // A stream's answer that cannot come is an error in the end, and the connection is kept.
        let stored = broker.publisher(JetStreamPublish::default());
        let error = stored
            .publish(message("secret.plans", "1"), None)
            .await
            .expect_err("refused");
        assert!(matches!(error, NatsError::JetStream(_)), "{error}");
        let mut open = broker
            .subscribe_with(CoreSubject::new("scans"))
            .await
            .expect("opened");
        publish(&broker, "scans", "2").await;
        assert_eq!(text(&next(&mut open).await), "2");
    })
    .await;
}

// NATS-55: an account that may not ask gets no answer, and startup pays for that once
#[tokio::test]
async fn openings_where_no_round_trip_is_allowed_wait_once() {
    let config = "authorization { users = [ { user: \"desk\", password: \"s3cret\", permissions: {\n\
                  publish: { allow: \"scans\" } } } ] }";
    on_every_server_with(config, async |server| {
        let options =
            async_nats::ConnectOptions::with_user_and_password("desk".into(), "s3cret".into());
        let broker = NatsBroker::new(server.url()).with_options(options);
        let broker = broker.connect().await.expect("connects");
        let since = std::time::Instant::now();

        for _ in 0..5 {
            broker
                .subscribe_with(CoreSubject::new("scans"))
                .await
                .expect("opened");
        }

        let took = since.elapsed();
        assert!((1000..1900).contains(&took.as_millis()), "{took:?}");
        let publisher = broker.publisher(NatsPublish);
        publisher
            .publish(message("scans", "1"), None)
            .await
            .expect("published");
        let closed = ruststream::ConnectedBroker::shutdown(broker)
            .await
            .expect("closed");
        assert!(closed.messages_sent() >= 1);
    })
    .await;
}
