//! Connecting, adopting a client, handles that outlive the connection.

use std::thread;
use std::time::Duration;

use ruststream::{
    AckError, Broker, ConnectedBroker, IncomingMessage, Publisher, RequestReply, Subscribe, nonzero,
};
use ruststream_nats::{
    ConnectedNatsBroker, JetStreamPublish, JetStreamSubject, NatsBroker, NatsError, NatsPublish,
    NonZeroDuration,
};

use crate::support::{connect, message, next, on_every_server, publish, raw, stream, text};

fn source() -> JetStreamSubject {
    JetStreamSubject::new("ledger.*", "LEDGER")
        .durable("book")
        .ack_wait(NonZeroDuration::from_secs(nonzero!(1)))
}

// NATS-26, NATS-27, NATS-T30, NATS-113
#[tokio::test]
async fn after_shutdown_every_handle_answers_with_an_error() {
    on_every_server(async |server| {
        stream(&server, "LEDGER", &["ledger.*"]).await;
        let broker = connect(&server).await;
        let core = broker.publisher(NatsPublish);
        let stored = broker.publisher(JetStreamPublish::default());
        let mut subscriber = broker.subscribe_with(source()).await.expect("opened");
        let mut held = Vec::new();
        for _ in 0..3 {
            publish(&broker, "ledger.a", "1").await;
            held.push(next(&mut subscriber).await);
        }

        broker.shutdown().await.expect("closed");

        let closed = |result: Result<(), NatsError>| match result.expect_err("closed") {
            NatsError::Closed { subject } => subject,
            other => panic!("{other}"),
        };
        assert_eq!(
            closed(core.publish(message("scans", "1"), None).await),
            "scans"
        );
        assert_eq!(
            closed(stored.publish(message("ledger.a", "1"), None).await),
            "ledger.a"
        );
        let asked = core
            .clone()
            .request(message("echo", "1"), Duration::from_secs(30))
            .await;
        assert_eq!(closed(asked.map(drop)), "echo");
        let (one, two, three) = (held.remove(0), held.remove(0), held.remove(0));
        let answers = [
            one.ack().await,
            two.nack(true).await,
            three.nack_after(Duration::from_secs(1)).await,
        ];
        for answer in answers {
            assert!(matches!(answer, Err(AckError::Broker(_))), "{answer:?}");
        }
    })
    .await;
}

// NATS-23, NATS-25, NATS-T31, NATS-22
#[tokio::test]
async fn what_was_sent_right_before_the_shutdown_is_on_the_server() {
    on_every_server(async |server| {
        let stored = stream(&server, "LEDGER", &["ledger.*"]).await;
        for round in 1..=20 {
            let broker = connect(&server).await;
            let mut subscriber = broker.subscribe_with(source()).await.expect("opened");
            publish(&broker, "ledger.a", "1").await;
            next(&mut subscriber)
                .await
                .ack()
                .await
                .expect("acknowledged");
            publish(&broker, "ledger.b", "2").await;
            let other = next(&mut subscriber).await;
            publish(&broker, "elsewhere", "3").await;
            other.ack().await.expect("acknowledged");

            let closed = broker.shutdown().await.expect("closed");

            assert!(
                closed.messages_sent() >= 5 && closed.messages_received() >= 2,
                "{closed:?}"
            );
            assert_eq!(closed.connects(), 1);
            // A server that has read an acknowledgement takes a moment to note it.
            crate::support::until("the acknowledgements", async || {
                let info = stored.consumer_info("book").await.expect("the consumer");
                (info.num_ack_pending, info.ack_floor.stream_sequence) == (0, round * 2)
            })
            .await;
        }
    })
    .await;
}

// NATS-11, NATS-12, NATS-T34
#[tokio::test]
async fn one_reachable_address_of_a_list_is_enough() {
    on_every_server(async |server| {
        let list = format!(" nats://127.0.0.1:1 , ,{} ", server.url());
        let broker = NatsBroker::new(list.clone());
        assert_eq!(broker.addrs(), list);

        let connected = broker.connect().await.expect("connects");

        let spec = connected.server_spec();
        assert_eq!(spec.host, Some(format!("127.0.0.1:{}", server.port())));
        assert_eq!(
            (spec.protocol.as_str(), spec.protocol_version.as_deref()),
            ("nats", Some("1"))
        );
        for bad in ["http://127.0.0.1:1", "", ","] {
            let error = NatsBroker::new(bad).connect().await.expect_err("refused");
            assert!(matches!(error, NatsError::Connect(_)), "{bad}: {error}");
        }
    })
    .await;
}

// NATS-18, NATS-19
#[tokio::test]
async fn an_adopted_client_works_and_is_drained_with_the_broker() {
    on_every_server(async |server| {
        let client = raw(&server).await;
        let broker = ConnectedNatsBroker::from_client(client.clone());
        let mut subscriber = broker.subscribe("scans").await.expect("opened");
        client.publish("scans", "1".into()).await.expect("sent");
        assert_eq!(text(&next(&mut subscriber).await), "1");
        let ledger = async_nats::jetstream::stream::Config {
            name: "LEDGER".to_owned(),
            ..Default::default()
        };
        broker
            .jetstream()
            .create_stream(ledger)
            .await
            .expect("jetstream answers");
        broker.client().flush().await.expect("the same client");

        broker.shutdown().await.expect("closed");

        crate::support::until("the client's end", async || {
            client.publish("scans", "2".into()).await.is_err()
        })
        .await;
    })
    .await;
}

// NATS-33: a client drained by another holder ends the subscriptions
#[tokio::test]
async fn a_drained_client_ends_the_stream() {
    on_every_server(async |server| {
        let broker = connect(&server).await;
        let mut subscriber = broker.subscribe("scans").await.expect("opened");

        broker.client().drain().await.expect("drained");

        let ended = crate::support::within(crate::support::SOON, "the end", async {
            let mut stream = std::pin::pin!(ruststream::Subscriber::stream(&mut subscriber));
            futures_util::StreamExt::next(&mut stream).await
        });
        assert!(ended.await.is_none());
    })
    .await;
}

/// Runs `work` on a runtime of its own thread, which ends with it.
fn elsewhere<T: Send + 'static>(work: impl AsyncFnOnce() -> T + Send + 'static) -> T {
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        runtime.expect("a runtime").block_on(work())
    })
    .join()
    .expect("worked")
}

// NATS-16, NATS-T35
#[tokio::test(flavor = "multi_thread")]
async fn what_was_asked_from_a_runtime_that_ended_goes_on() {
    on_every_server(async |server| {
        stream(&server, "LEDGER", &["ledger.*"]).await;
        let broker = std::sync::Arc::new(connect(&server).await);

        let there = std::sync::Arc::clone(&broker);
        let (mut core, mut stored) = elsewhere(async move || {
            let core = there.subscribe("scans").await.expect("opened");
            let stored = there.subscribe_with(source()).await.expect("opened");
            let publisher = there.publisher(JetStreamPublish::default());
            publisher
                .publish(message("ledger.a", "1"), None)
                .await
                .expect("stored");
            let asked = there.publisher(NatsPublish);
            let nobody = asked
                .request(message("nobody", ""), Duration::from_secs(5))
                .await;
            assert!(
                nobody
                    .expect_err("nobody")
                    .to_string()
                    .contains("no responders")
            );
            (core, stored)
        });
        publish(&broker, "scans", "2").await;
        assert_eq!(text(&next(&mut core).await), "2");
        let delivery = next(&mut stored).await;
        assert_eq!(text(&delivery), "1");

        elsewhere(async move || delivery.nack_after(Duration::from_millis(300)).await)
            .expect("handed back");

        let again = next(&mut stored).await;
        assert_eq!(again.redelivery_count(), Some(2));
        elsewhere(async move || again.ack().await).expect("acknowledged");
        let publisher = broker.publisher(NatsPublish);
        let asked = publisher
            .request(message("nobody", ""), Duration::from_secs(5))
            .await;
        assert!(
            asked
                .expect_err("nobody")
                .to_string()
                .contains("no responders")
        );
    })
    .await;
}

// NATS-17, NATS-T36
#[tokio::test]
async fn handles_may_be_dropped_outside_a_runtime() {
    on_every_server(async |server| {
        stream(&server, "LEDGER", &["ledger.*"]).await;
        let broker = connect(&server).await;
        let core = broker.subscribe("scans").await.expect("opened");
        let stored = broker.subscribe_with(source()).await.expect("opened");
        let publisher = broker.publisher(JetStreamPublish::default());
        let asked = broker.publisher(NatsPublish);
        let _nobody = asked
            .request(message("nobody", ""), Duration::from_secs(5))
            .await;

        thread::spawn(move || drop((core, stored, publisher, asked, broker)))
            .join()
            .expect("no panic");
    })
    .await;
}

// NATS-15
#[tokio::test]
async fn with_retries_of_the_first_connect_the_first_subscription_waits() {
    on_every_server(async |mut server| {
        server.stop();
        let options = async_nats::ConnectOptions::new().retry_on_initial_connect();
        let broker = NatsBroker::new(server.url()).with_options(options);
        let connected = broker.connect().await.expect("handed over at once");
        let opening = tokio::spawn(async move {
            let missing = connected.subscribe_with(source()).await;
            assert!(
                matches!(missing, Err(NatsError::JetStream(_))),
                "asked the server"
            );
            let subscriber = connected.subscribe("scans").await.expect("opened");
            (connected, subscriber)
        });
        // Longer than the client waits for any reply.
        tokio::time::sleep(Duration::from_millis(10_500)).await;
        assert!(!opening.is_finished());

        server.again();

        let (connected, mut subscriber) = opening.await.expect("opened");
        publish(&connected, "scans", "1").await;
        assert_eq!(text(&next(&mut subscriber).await), "1");
    })
    .await;
}
