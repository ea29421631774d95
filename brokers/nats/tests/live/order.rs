//! The order of deliveries, and how far ahead they are fetched.

use ruststream::{BuildContext, Field, IncomingMessage, Subscribe, nonzero};
use ruststream_nats::context::JetStreamContext;
use ruststream_nats::context::keys::{ConsumerSequence, Delivered, StreamSequence};
use ruststream_nats::{JetStreamSubject, NatsMessage, NonZeroDuration};

use crate::support::{QUIET, connect, next, on_every_server, raw, stream, text, until};

const MESSAGES: u64 = 1000;

fn durable() -> JetStreamSubject {
    JetStreamSubject::new("ledger.*", "LEDGER")
        .durable("book")
        .ack_wait(NonZeroDuration::from_secs(nonzero!(30)))
}

/// The sequences of the stream and of the consumer, and which delivery it is.
fn told(message: &NatsMessage) -> (u64, u64, i64) {
    let context = JetStreamContext::build(message);
    (
        StreamSequence.get(&context).expect("a stream's"),
        ConsumerSequence.get(&context).expect("a stream's"),
        Delivered.get(&context).expect("a stream's"),
    )
}

// NATS-61
#[tokio::test]
async fn core_deliveries_come_in_the_order_they_were_published() {
    on_every_server(async |server| {
        let broker = connect(&server).await;
        let mut subscriber = broker.subscribe("scans").await.expect("opened");
        let beside = raw(&server).await;

        for number in 0..MESSAGES {
            let payload = number.to_string();
            beside
                .publish("scans", payload.into())
                .await
                .expect("published");
        }

        for number in 0..MESSAGES {
            assert_eq!(text(&next(&mut subscriber).await), number.to_string());
        }
    })
    .await;
}

// NATS-61, NATS-73, NATS-74
#[tokio::test]
async fn deliveries_come_in_the_order_of_the_consumers_sequence_whatever_is_handed_back() {
    on_every_server(async |server| {
        stream(&server, "LEDGER", &["ledger.*"]).await;
        let beside = async_nats::jetstream::new(raw(&server).await);
        for number in 0..MESSAGES {
            let payload = number.to_string();
            let sent = beside.publish("ledger.a", payload.into()).await;
            sent.expect("sent").await.expect("stored");
        }
        let broker = connect(&server).await;
        let mut subscriber = broker.subscribe_with(durable()).await.expect("opened");

        // Each tenth is handed back once; whatever place its redelivery has, it has a later number.
        let (mut settled, mut last, mut redelivered) = (0, 0, 0);
        while settled < MESSAGES {
            let delivery = next(&mut subscriber).await;
            let (in_stream, in_consumer, delivered) = told(&delivery);
            assert_eq!(in_consumer, last + 1);
            last = in_consumer;
            assert_eq!(text(&delivery), (in_stream - 1).to_string());
            if in_stream % 10 == 0 && delivered == 1 {
                delivery.nack(true).await.expect("handed back");
            } else {
                redelivered += delivered - 1;
                settled += 1;
                delivery.ack().await.expect("acknowledged");
            }
        }

        assert_eq!(redelivered, 100);
        assert_eq!(last, MESSAGES + 100);
    })
    .await;
}

// NATS-59
#[tokio::test]
async fn at_most_two_hundred_deliveries_are_fetched_ahead() {
    on_every_server(async |server| {
        let stored = stream(&server, "LEDGER", &["ledger.*"]).await;
        let beside = raw(&server).await;
        for number in 0..MESSAGES {
            let payload = number.to_string();
            beside
                .publish("ledger.a", payload.into())
                .await
                .expect("published");
        }
        let broker = connect(&server).await;
        let mut subscriber = broker.subscribe_with(durable()).await.expect("opened");

        let first = next(&mut subscriber).await;

        let pending = async || {
            let info = stored.consumer_info("book").await.expect("the consumer");
            info.num_ack_pending
        };
        until("the rest of the pull", async || pending().await == 200).await;
        tokio::time::sleep(QUIET).await;
        assert_eq!(pending().await, 200);
        first.ack().await.expect("acknowledged");
    })
    .await;
}
