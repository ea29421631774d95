//! Batches of both models.

use std::pin::pin;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use ruststream::{BatchSubscriber, IncomingMessage, nonzero};
use ruststream_nats::{CoreSubject, JetStreamSubject, NatsMessage, NonZeroDuration};

use crate::support::{SOON, connect, next, on_every_server, publish, stream, text, within};

const EXPIRES: Duration = Duration::from_millis(600);

fn source() -> JetStreamSubject {
    JetStreamSubject::new("ledger.*", "LEDGER")
        .durable("book")
        .ack_wait(NonZeroDuration::from_secs(nonzero!(2)))
        .pull_expires(NonZeroDuration::new(EXPIRES).expect("not zero"))
}

fn texts(batch: &[NatsMessage]) -> Vec<String> {
    batch.iter().map(text).collect()
}

// NATS-161, NATS-164, NATS-T20, NATS-51
#[tokio::test]
async fn a_batch_is_one_pull_of_at_most_its_size() {
    on_every_server(async |server| {
        stream(&server, "LEDGER", &["ledger.*"]).await;
        let broker = connect(&server).await;
        let mut subscriber = broker.subscribe_with(source()).await.expect("opened");
        for number in 0..5 {
            publish(&broker, "ledger.a", &number.to_string()).await;
        }
        let mut batches = pin!(subscriber.batches(nonzero!(3)));

        let full = within(SOON, "a batch", batches.next())
            .await
            .expect("goes on")
            .expect("a batch");
        let since = Instant::now();
        let partial = within(SOON, "a batch", batches.next())
            .await
            .expect("goes on")
            .expect("a batch");

        assert_eq!(
            (texts(&full), texts(&partial)),
            (
                vec!["0".into(), "1".into(), "2".into()],
                vec!["3".into(), "4".into()]
            )
        );
        let waited = since.elapsed();
        assert!(waited >= EXPIRES.mul_f64(0.8), "{waited:?}");
        for delivery in full.into_iter().chain(partial) {
            delivery.ack().await.expect("acknowledged");
        }
    })
    .await;
}

// NATS-161, NATS-T20, NATS-153
#[tokio::test]
async fn empty_pulls_are_repeated_and_no_batch_is_empty() {
    on_every_server(async |server| {
        stream(&server, "LEDGER", &["ledger.*"]).await;
        let broker = connect(&server).await;
        let mut subscriber = broker.subscribe_with(source()).await.expect("opened");
        let mut batches = pin!(subscriber.batches(nonzero!(3)));
        let silent = tokio::time::timeout(EXPIRES * 3, batches.next()).await;
        assert!(silent.is_err(), "two pulls ended without a message");

        publish(&broker, "ledger.a", "1").await;

        let batch = within(SOON, "a batch", batches.next())
            .await
            .expect("goes on")
            .expect("a batch");
        assert_eq!(texts(&batch), ["1"]);
    })
    .await;
}

// NATS-58, NATS-163, NATS-T20
#[tokio::test]
async fn streams_and_batches_over_one_subscription_follow_each_other() {
    on_every_server(async |server| {
        stream(&server, "LEDGER", &["ledger.*"]).await;
        let broker = connect(&server).await;
        let mut subscriber = broker.subscribe_with(source()).await.expect("opened");
        let mut seen = Vec::new();
        for round in 0..3 {
            for number in 0..4 {
                publish(&broker, "ledger.a", &format!("{round}-{number}")).await;
            }
            let delivery = next(&mut subscriber).await;
            seen.push(text(&delivery));
            delivery.ack().await.expect("acknowledged");
            let mut batches = pin!(subscriber.batches(nonzero!(2)));
            while seen.len() < (round + 1) * 4 {
                let batch = within(SOON, "a batch", batches.next())
                    .await
                    .expect("goes on");
                let batch = batch.expect("a batch");
                assert!(!batch.is_empty() && batch.len() <= 2);
                seen.extend(texts(&batch));
                for delivery in batch {
                    delivery.ack().await.expect("acknowledged");
                }
            }
        }
        let mut expected = seen.clone();
        expected.sort();
        assert_eq!(seen, expected, "each once, in order");
    })
    .await;
}

// NATS-161: each of a batch is settled by itself
#[tokio::test]
async fn one_of_a_batch_comes_back_alone() {
    on_every_server(async |server| {
        stream(&server, "LEDGER", &["ledger.*"]).await;
        let broker = connect(&server).await;
        let mut subscriber = broker.subscribe_with(source()).await.expect("opened");
        for number in 0..3 {
            publish(&broker, "ledger.a", &number.to_string()).await;
        }
        let mut batches = pin!(subscriber.batches(nonzero!(3)));
        let batch = within(SOON, "a batch", batches.next())
            .await
            .expect("goes on")
            .expect("a batch");
        for delivery in batch {
            if text(&delivery) == "1" {
                delivery.nack(true).await.expect("handed back");
            } else {
                delivery.ack().await.expect("acknowledged");
            }
        }

        let again = within(SOON, "a batch", batches.next())
            .await
            .expect("goes on")
            .expect("a batch");

        assert_eq!(texts(&again), ["1"]);
        assert_eq!(again[0].redelivery_count(), Some(2));
    })
    .await;
}

// NATS-52, NATS-162
#[tokio::test]
async fn a_core_batch_closes_at_its_size_or_its_wait() {
    on_every_server(async |server| {
        let broker = connect(&server).await;
        let source = CoreSubject::new("scans").max_wait(Duration::from_millis(100));
        let mut subscriber = broker.subscribe_with(source).await.expect("opened");
        let mut batches = pin!(subscriber.batches(nonzero!(3)));
        for number in 0..4 {
            publish(&broker, "scans", &number.to_string()).await;
        }

        let full = within(SOON, "a batch", batches.next())
            .await
            .expect("goes on")
            .expect("a batch");
        let rest = within(SOON, "a batch", batches.next())
            .await
            .expect("goes on")
            .expect("a batch");

        assert_eq!(
            (texts(&full), texts(&rest)),
            (vec!["0".into(), "1".into(), "2".into()], vec!["3".into()])
        );
    })
    .await;
}
