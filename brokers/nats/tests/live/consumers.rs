//! Consumers on the server: how they are made, and what they read.

use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy};
use ruststream::{IncomingMessage, RedeliveryAddressed, nonzero};
use ruststream_nats::{JetStreamSubject, NatsError, NonZeroDuration};

use crate::support::{
    Server, assert_quiet, connect, next, on_every_server, publish, stream, text, within,
};

fn source() -> JetStreamSubject {
    JetStreamSubject::new("ledger.*", "LEDGER")
}

async fn fill(server: &Server, numbers: std::ops::Range<u32>) {
    let context = async_nats::jetstream::new(crate::support::raw(server).await);
    for number in numbers {
        let sent = context
            .publish("ledger.a", number.to_string().into())
            .await
            .expect("sent");
        sent.await.expect("stored");
    }
}

// NATS-46, NATS-49, NATS-57, NATS-88, NATS-T17
#[tokio::test]
async fn a_consumer_is_created_as_described_and_updated_but_for_its_start() {
    on_every_server(async |server| {
        let stored = stream(&server, "LEDGER", &["ledger.>"]).await;
        let broker = connect(&server).await;
        let info = async || {
            stored
                .consumer_info("book")
                .await
                .expect("the consumer")
                .config
        };

        let _defaults = broker
            .subscribe_with(source().durable("book"))
            .await
            .expect("opened");

        let made = info().await;
        assert_eq!(made.durable_name.as_deref(), Some("book"));
        assert_eq!(
            (made.filter_subject.as_str(), made.ack_wait),
            ("ledger.*", Duration::from_secs(30))
        );
        assert_eq!((made.max_ack_pending, made.max_deliver), (1024, -1));
        assert_eq!(
            (made.deliver_policy, made.ack_policy),
            (DeliverPolicy::All, AckPolicy::Explicit)
        );

        let described = source()
            .durable("book")
            .filter_subject("ledger.a")
            .ack_wait(NonZeroDuration::from_secs(nonzero!(7)))
            .max_ack_pending(3);
        let _updated = broker.subscribe_with(described).await.expect("opened");

        let made = info().await;
        assert_eq!(
            (made.filter_subject.as_str(), made.ack_wait),
            ("ledger.a", Duration::from_secs(7))
        );
        assert_eq!((made.max_ack_pending, made.max_deliver), (3, -1));

        let elsewhere = source().durable("book").deliver_policy(DeliverPolicy::New);
        let error = broker.subscribe_with(elsewhere).await.expect_err("refused");
        assert!(matches!(error, NatsError::JetStream(_)), "{error}");
        assert!(error.to_string().contains("10012"), "{error}");
    })
    .await;
}

// NATS-56, NATS-T22
#[tokio::test]
async fn a_missing_stream_fails_the_start() {
    on_every_server(async |server| {
        let broker = connect(&server).await;

        let error = broker
            .subscribe_with(source().durable("book"))
            .await
            .expect_err("missing");

        assert!(matches!(error, NatsError::JetStream(_)), "{error}");
        assert!(error.to_string().contains("stream not found"), "{error}");
        stream(&server, "LEDGER", &["ledger.*"]).await;
        broker
            .subscribe_with(source().durable("book"))
            .await
            .expect("opens once it exists");
    })
    .await;
}

// NATS-56, NATS-906
#[tokio::test]
async fn names_that_would_change_the_request_are_refused() {
    on_every_server(async |server| {
        stream(&server, "LEDGER", &["ledger.*"]).await;
        let broker = connect(&server).await;
        for name in ["", "a b", "a.b", "a*", ">", "a/b", "a\\b"] {
            let error = broker
                .subscribe_with(source().durable(name))
                .await
                .expect_err("refused");
            assert!(matches!(error, NatsError::JetStream(_)), "{name}: {error}");
            let other = JetStreamSubject::new("ledger.*", name);
            let error = broker.subscribe_with(other).await.expect_err("refused");
            assert!(matches!(error, NatsError::JetStream(_)), "{name}: {error}");
        }
        let error = broker
            .subscribe_with(source().filter_subject("a..b"))
            .await
            .expect_err("refused");
        assert!(matches!(error, NatsError::JetStream(_)), "{error}");
        let error = broker
            .subscribe_with(JetStreamSubject::new("", "LEDGER"))
            .await
            .expect_err("refused");
        assert!(matches!(error, NatsError::InvalidOptions(_)), "{error}");
    })
    .await;
}

// NATS-47, NATS-T15
#[tokio::test]
async fn a_durable_resumes_where_it_was_and_another_replays() {
    on_every_server(async |server| {
        stream(&server, "LEDGER", &["ledger.*"]).await;
        fill(&server, 0..4).await;
        let broker = connect(&server).await;
        let mut first = broker
            .subscribe_with(source().durable("book"))
            .await
            .expect("opened");
        for number in 0..2 {
            let delivery = next(&mut first).await;
            assert_eq!(text(&delivery), number.to_string());
            delivery.ack().await.expect("acknowledged");
        }
        drop(first);
        ruststream::ConnectedBroker::shutdown(broker)
            .await
            .expect("closed");

        let broker = connect(&server).await;
        let quick = source()
            .durable("book")
            .ack_wait(NonZeroDuration::from_millis(nonzero!(500)));
        let mut again = broker.subscribe_with(quick).await.expect("opened");
        let mut other = broker
            .subscribe_with(source().durable("audit"))
            .await
            .expect("opened");

        assert_eq!(text(&next(&mut again).await), "2");
        assert_eq!(text(&next(&mut other).await), "0");
    })
    .await;
}

// NATS-49, NATS-T18
#[tokio::test]
async fn a_new_consumer_starts_where_its_policy_says() {
    on_every_server(async |server| {
        stream(&server, "LEDGER", &["ledger.*"]).await;
        fill(&server, 0..4).await;
        let broker = connect(&server).await;
        let starting = async |policy| {
            broker
                .subscribe_with(source().deliver_policy(policy))
                .await
                .expect("opened")
        };
        let mut all = starting(DeliverPolicy::All).await;
        let mut new = starting(DeliverPolicy::New).await;
        let mut last = starting(DeliverPolicy::Last).await;
        let mut third = starting(DeliverPolicy::ByStartSequence { start_sequence: 3 }).await;

        publish(&broker, "ledger.a", "4").await;

        assert_eq!(text(&next(&mut all).await), "0");
        assert_eq!(text(&next(&mut new).await), "4");
        assert_eq!(text(&next(&mut last).await), "3");
        assert_eq!(text(&next(&mut third).await), "2");
    })
    .await;
}

// NATS-50, NATS-T16
#[tokio::test]
async fn at_its_limit_of_unacknowledged_deliveries_a_consumer_waits() {
    on_every_server(async |server| {
        stream(&server, "LEDGER", &["ledger.*"]).await;
        fill(&server, 0..2).await;
        let broker = connect(&server).await;
        let narrow = source().durable("book").max_ack_pending(1);
        let mut subscriber = broker.subscribe_with(narrow).await.expect("opened");
        let held = next(&mut subscriber).await;
        assert_quiet(&mut subscriber).await;

        held.ack().await.expect("acknowledged");

        assert_eq!(text(&next(&mut subscriber).await), "1");
    })
    .await;
}

// NATS-48, NATS-T19
#[tokio::test]
async fn a_filter_narrows_what_is_read() {
    on_every_server(async |server| {
        let stored = stream(&server, "LEDGER", &["ledger.*"]).await;
        let broker = connect(&server).await;
        let narrow = source().filter_subject("ledger.b");
        let mut subscriber = broker.subscribe_with(narrow).await.expect("opened");

        publish(&broker, "ledger.a", "a").await;
        publish(&broker, "ledger.b", "b").await;

        assert_eq!(text(&next(&mut subscriber).await), "b");
        assert_quiet(&mut subscriber).await;
        assert_eq!(stored.get_info().await.expect("info").state.messages, 2);
    })
    .await;
}

// NATS-53, NATS-T21
#[tokio::test]
async fn the_address_of_a_pattern_is_a_subject_that_reaches_the_consumer() {
    on_every_server(async |server| {
        stream(&server, "LEDGER", &["other", "ledger.>"]).await;
        let broker = connect(&server).await;
        let pattern = source();

        let address = pattern
            .redelivery_address(&broker)
            .await
            .expect("an address");

        assert_eq!(address.as_str(), "ledger.ruststream-retry");
        let mut subscriber = broker.subscribe_with(pattern).await.expect("opened");
        publish(&broker, address.as_str(), "copy").await;
        assert_eq!(text(&next(&mut subscriber).await), "copy");

        let literal = source().filter_subject("ledger.a");
        let address = literal
            .redelivery_address(&broker)
            .await
            .expect("an address");
        assert_eq!(address.as_str(), "ledger.a");
        let outside = source().filter_subject("elsewhere.*");
        let error = outside.redelivery_address(&broker).await.expect_err("none");
        assert!(matches!(error, NatsError::JetStream(_)), "{error}");
        let missing = JetStreamSubject::new("ledger.*", "NOWHERE");
        let error = missing
            .redelivery_address(&broker)
            .await
            .expect_err("no stream");
        assert!(matches!(error, NatsError::JetStream(_)), "{error}");
    })
    .await;
}

// NATS-47: an ephemeral consumer lives as long as it is read
#[tokio::test]
async fn an_ephemeral_consumer_is_kept_while_it_is_read_and_removed_after() {
    on_every_server(async |server| {
        let stored = stream(&server, "LEDGER", &["ledger.*"]).await;
        let broker = connect(&server).await;
        let mut subscriber = broker.subscribe_with(source()).await.expect("opened");
        let since = Instant::now();
        let idle = async {
            while since.elapsed() < Duration::from_secs(7) {
                assert_quiet(&mut subscriber).await;
            }
        };
        idle.await;
        publish(&broker, "ledger.a", "1").await;
        let delivery = next(&mut subscriber).await;
        assert_eq!(text(&delivery), "1");
        delivery.ack().await.expect("acknowledged");

        drop(subscriber);

        // The server looks at idle consumers when it pleases, some seconds after the last pull.
        within(Duration::from_secs(40), "its removal", async {
            while stored.get_info().await.expect("info").state.consumer_count > 0 {
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        })
        .await;
    })
    .await;
}

// NATS-32, NATS-50, NATS-153: a consumer that waits is not taken for one that is gone
#[tokio::test]
async fn silence_at_the_limit_of_unacknowledged_deliveries_is_no_failure() {
    on_every_server(async |server| {
        stream(&server, "LEDGER", &["ledger.*"]).await;
        fill(&server, 0..2).await;
        let broker = connect(&server).await;
        let narrow = source().durable("book").max_ack_pending(1);
        let mut subscriber = broker.subscribe_with(narrow).await.expect("opened");
        let mut reading = std::pin::pin!(ruststream::Subscriber::stream(&mut subscriber));
        let next = futures_util::StreamExt::next(&mut reading).await;
        let held = next.expect("goes on").expect("delivered");

        let silent = tokio::time::timeout(
            Duration::from_secs(12),
            futures_util::StreamExt::next(&mut reading),
        );

        assert!(silent.await.is_err(), "neither a delivery nor an error");
        held.ack().await.expect("acknowledged");
        let next = futures_util::StreamExt::next(&mut reading).await;
        assert_eq!(text(&next.expect("goes on").expect("delivered")), "1");
    })
    .await;
}
