//! The settlement table, row by row, as the server sees it.

use std::time::{Duration, Instant};

use ruststream::{AckError, IncomingMessage, nonzero};
use ruststream_nats::{CoreSubject, JetStreamSubject, NatsMessage, NonZeroDuration};

use crate::support::{
    QUIET, Server, Tap, assert_quiet, connect, next, on_every_server, publish, stream, text,
};

const DELAY: Duration = Duration::from_secs(1);

fn source() -> JetStreamSubject {
    JetStreamSubject::new("ledger.*", "LEDGER")
        .durable("book")
        .ack_wait(NonZeroDuration::from_millis(nonzero!(1200)))
}

/// The sequences that the context keys read: stream, consumer, delivered.
fn told(message: &NatsMessage) -> (Option<u64>, Option<u64>, Option<i64>) {
    use ruststream::{BuildContext, Field};
    use ruststream_nats::context::{JetStreamContext, keys};

    let context = JetStreamContext::build(message);
    (
        keys::STREAM_SEQUENCE.get(&context),
        keys::CONSUMER_SEQUENCE.get(&context),
        keys::DELIVERED.get(&context),
    )
}

async fn consumer(server: &Server) -> async_nats::jetstream::consumer::Info {
    let context = async_nats::jetstream::new(crate::support::raw(server).await);
    let stream = context.get_stream("LEDGER").await.expect("the stream");
    stream.consumer_info("book").await.expect("the consumer")
}

// NATS-71, NATS-T10
#[tokio::test]
async fn ack_says_ack_once_and_the_message_never_comes_back() {
    on_every_server(async |server| {
        stream(&server, "LEDGER", &["ledger.*"]).await;
        let broker = connect(&server).await;
        let mut subscriber = broker.subscribe_with(source()).await.expect("opened");
        let mut tap = Tap::on(&server, "LEDGER", "book").await;
        publish(&broker, "ledger.a", "1").await;
        let delivery = next(&mut subscriber).await;
        assert_eq!(
            (told(&delivery), delivery.redelivery_count()),
            ((Some(1), Some(1), Some(1)), Some(1))
        );

        delivery.ack().await.expect("acknowledged");

        let said = tap.next().await;
        assert_eq!(
            (said.bytes.as_str(), said.delivered, said.stream_sequence),
            ("+ACK", 1, 1)
        );
        tap.assert_quiet(Duration::from_millis(1500)).await;
        assert_quiet(&mut subscriber).await;
        let info = consumer(&server).await;
        assert_eq!(
            (info.num_ack_pending, info.ack_floor.stream_sequence),
            (0, 1)
        );
    })
    .await;
}

// NATS-71, NATS-T10, NATS-T11
#[tokio::test]
async fn nack_says_nak_and_the_message_comes_at_once_as_the_second_delivery() {
    on_every_server(async |server| {
        stream(&server, "LEDGER", &["ledger.*"]).await;
        let broker = connect(&server).await;
        let mut subscriber = broker.subscribe_with(source()).await.expect("opened");
        let mut tap = Tap::on(&server, "LEDGER", "book").await;
        publish(&broker, "ledger.a", "1").await;
        let delivery = next(&mut subscriber).await;
        let asked = Instant::now();

        delivery.nack(true).await.expect("handed back");

        let again = next(&mut subscriber).await;
        assert!(
            asked.elapsed() < Duration::from_secs(1),
            "at once, not after the ack window"
        );
        let said = tap.next().await;
        assert_eq!((said.bytes.as_str(), said.delivered), ("-NAK", 1));
        assert_eq!(
            (told(&again), text(&again)),
            ((Some(1), Some(2), Some(2)), "1".to_owned())
        );
        assert_eq!(again.redelivery_count(), Some(2));
        again.ack().await.expect("acknowledged");
        let said = tap.next().await;
        assert_eq!((said.bytes.as_str(), said.delivered), ("+ACK", 2));
        tap.assert_quiet(QUIET).await;
    })
    .await;
}

// NATS-70, NATS-74, NATS-T13
#[tokio::test]
async fn a_delay_is_said_in_nanoseconds_and_the_server_holds_the_message_for_it() {
    on_every_server(async |server| {
        let stored = stream(&server, "LEDGER", &["ledger.*"]).await;
        let broker = connect(&server).await;
        let mut subscriber = broker.subscribe_with(source()).await.expect("opened");
        let mut tap = Tap::on(&server, "LEDGER", "book").await;
        publish(&broker, "ledger.a", "1").await;
        let delivery = next(&mut subscriber).await;
        assert!(delivery.supports_nack_after());
        let asked = Instant::now();

        delivery.nack_after(DELAY).await.expect("handed back");

        let again = next(&mut subscriber).await;
        let held = asked.elapsed();
        assert!(held >= DELAY && held < DELAY * 2, "held for {held:?}");
        assert_eq!(tap.next().await.bytes, r#"-NAK {"delay":1000000000}"#);
        assert_eq!(
            (told(&again), text(&again)),
            ((Some(1), Some(2), Some(2)), "1".to_owned())
        );
        again.ack().await.expect("acknowledged");
        // No copy exists: the stream still holds the one message.
        let info = stored.get_info().await.expect("info");
        assert_eq!((info.state.messages, info.state.last_sequence), (1, 1));
    })
    .await;
}

// NATS-71, NATS-F08, NATS-T10
#[tokio::test]
async fn a_drop_says_term_and_the_message_is_over() {
    on_every_server(async |server| {
        stream(&server, "LEDGER", &["ledger.*"]).await;
        let broker = connect(&server).await;
        let mut subscriber = broker.subscribe_with(source()).await.expect("opened");
        let mut tap = Tap::on(&server, "LEDGER", "book").await;
        publish(&broker, "ledger.a", "1").await;

        next(&mut subscriber)
            .await
            .nack(false)
            .await
            .expect("dropped");

        assert_eq!(tap.next().await.bytes, "+TERM");
        tap.assert_quiet(Duration::from_millis(1500)).await;
        assert_quiet(&mut subscriber).await;
        let info = consumer(&server).await;
        assert_eq!(
            (info.num_ack_pending, info.ack_floor.stream_sequence),
            (0, 1)
        );
    })
    .await;
}

// NATS-76, NATS-T12, NATS-78
#[tokio::test]
async fn a_delivery_without_a_result_comes_back_after_the_window_and_says_nothing() {
    on_every_server(async |server| {
        stream(&server, "LEDGER", &["ledger.*"]).await;
        let broker = connect(&server).await;
        let mut subscriber = broker.subscribe_with(source()).await.expect("opened");
        let mut tap = Tap::on(&server, "LEDGER", "book").await;
        publish(&broker, "ledger.a", "1").await;
        let delivered = Instant::now();

        drop(next(&mut subscriber).await);

        let again = next(&mut subscriber).await;
        assert!(
            delivered.elapsed() >= Duration::from_millis(1200),
            "not before the window"
        );
        assert_eq!(told(&again), (Some(1), Some(2), Some(2)));
        tap.assert_quiet(QUIET).await;
        again.ack().await.expect("acknowledged");
        assert_eq!(tap.next().await.delivered, 2);
    })
    .await;
}

// NATS-77, NATS-T05
#[tokio::test]
async fn a_core_delivery_settles_nothing_and_counts_nothing() {
    on_every_server(async |server| {
        let broker = connect(&server).await;
        let mut subscriber = broker
            .subscribe_with(CoreSubject::new("scans"))
            .await
            .expect("opened");
        for _ in 0..4 {
            publish(&broker, "scans", "1").await;
        }
        let (one, two) = (next(&mut subscriber).await, next(&mut subscriber).await);
        let (three, four) = (next(&mut subscriber).await, next(&mut subscriber).await);
        assert!(!one.supports_nack_after());
        assert_eq!(one.redelivery_count(), None);

        let answers = [
            one.ack().await,
            two.nack(true).await,
            three.nack(false).await,
            four.nack_after(DELAY).await,
        ];

        for answer in answers {
            assert!(matches!(answer, Err(AckError::Unsupported)), "{answer:?}");
        }
        assert_quiet(&mut subscriber).await;
    })
    .await;
}
