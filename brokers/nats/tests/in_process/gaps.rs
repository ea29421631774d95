//! What the in-process transport does not do, each gap held open (TEST-80, NATS-G1 to NATS-G17).
//!
//! A test here fails on the day somebody closes its gap: the transport would then imitate a server,
//! and tests of services would pass on the imitation. `tests/live` proves the real thing.

use std::time::Duration;

use ruststream::testing::{InProcess, TestableBroker};
use ruststream::{ConnectedBroker, IncomingMessage, Subscribe, nonzero};
use ruststream_nats::{
    DeliverPolicy, JetStreamOptions, JetStreamPublish, JetStreamSubject, NatsBroker,
    NonZeroDuration,
};

use crate::support::{connect, drain, message, next, production, publish, text, waiting};

fn source() -> JetStreamSubject {
    JetStreamSubject::new("ledger.*", "LEDGER").durable("book")
}

// NATS-G1
#[tokio::test]
async fn a_stream_that_nobody_created_is_read() {
    let broker = connect().await;

    let mut subscriber = broker.subscribe_with(source()).await.expect("opened");

    publish(&broker, "ledger.a", "1").await;
    assert_eq!(drain(&mut subscriber), ["1"]);
}

// NATS-G2
#[tokio::test(start_paused = true)]
async fn a_stream_has_no_limits_and_forgets_nothing_by_age() {
    let broker = connect().await;
    let mut subscriber = broker.subscribe_with(source()).await.expect("opened");
    for number in 0..20_000_u32 {
        publish(&broker, "ledger.a", &number.to_string()).await;
    }

    tokio::time::advance(Duration::from_secs(1_000_000)).await;

    assert_eq!(drain(&mut subscriber).len(), 20_000);
}

// NATS-G3
#[tokio::test]
async fn no_limit_of_unacknowledged_deliveries_holds_a_message_back() {
    let broker = connect().await;
    let mut subscriber = broker
        .subscribe_with(source().max_ack_pending(1))
        .await
        .expect("opened");
    publish(&broker, "ledger.a", "1").await;
    publish(&broker, "ledger.a", "2").await;

    let _held = waiting(&mut subscriber).expect("the first");

    assert_eq!(
        text(&waiting(&mut subscriber).expect("the second too")),
        "2"
    );
}

// NATS-G4, NATS-944
#[tokio::test(start_paused = true)]
async fn a_delivery_that_is_held_past_its_window_does_not_come_again_but_a_dropped_one_does() {
    let broker = connect().await;
    let quick = source().ack_wait(NonZeroDuration::from_secs(nonzero!(1)));
    let mut subscriber = broker.subscribe_with(quick).await.expect("opened");
    publish(&broker, "ledger.a", "1").await;
    let held = waiting(&mut subscriber).expect("delivered");

    tokio::time::sleep(Duration::from_mins(1)).await;
    assert!(waiting(&mut subscriber).is_none());

    drop(held);
    tokio::time::sleep(Duration::from_millis(900)).await;
    assert!(waiting(&mut subscriber).is_none());
    assert_eq!(next(&mut subscriber).await.redelivery_count(), Some(2));
}

// NATS-G5
#[tokio::test]
async fn a_subscription_that_is_not_read_loses_nothing() {
    let broker = connect().await;
    let mut subscriber = broker.subscribe("scans").await.expect("opened");

    for _ in 0..70_000 {
        publish(&broker, "scans", "1").await;
    }

    assert_eq!(drain(&mut subscriber).len(), 70_000);
}

// NATS-G6
#[tokio::test]
async fn a_wrong_password_connects() {
    let options = async_nats::ConnectOptions::with_user_and_password("desk".into(), "wrong".into());
    let broker = production().with_options(options);

    broker.connect_in_process().await.expect("nothing is asked");
}

// NATS-G7, NATS-25
#[tokio::test]
async fn the_bus_connects_once_and_is_never_lost() {
    let broker = connect().await;
    let _subscriber = broker.subscribe("scans").await.expect("opened");
    publish(&broker, "scans", "1").await;

    let closed = broker.shutdown().await.expect("closed");

    assert_eq!(
        (
            closed.connects(),
            closed.messages_sent(),
            closed.messages_received()
        ),
        (1, 1, 1)
    );
}

// NATS-G8
#[tokio::test]
async fn a_second_connection_of_the_same_names_starts_empty() {
    let first = connect().await;
    let _subscriber = first.subscribe_with(source()).await.expect("opened");
    publish(&first, "ledger.a", "1").await;

    let second = connect().await;

    let mut subscriber = second.subscribe_with(source()).await.expect("opened");
    assert!(waiting(&mut subscriber).is_none());
    assert!(second.published("ledger.a").is_empty());
}

// NATS-G9, NATS-G14, NATS-G15
#[tokio::test]
async fn a_repeated_id_and_a_violated_expectation_are_stored_and_delivered() {
    let broker = connect().await;
    let mut subscriber = broker.subscribe_with(source()).await.expect("opened");
    let publisher = broker.publisher(JetStreamPublish::default().expect_stream("LEDGER"));
    let options = JetStreamOptions {
        message_id: Some("a-1".into()),
        expect_last_sequence: Some(99),
        expect_last_subject_sequence: Some(99),
        expect_last_message_id: Some("other".into()),
    };

    for sequence in 1..=2 {
        let ack = publisher
            .publish_ack(message("ledger.a", "1"), Some(&options))
            .await;
        let ack = ack.expect("stored");
        assert_eq!(
            (ack.stream.as_str(), ack.sequence, ack.duplicate),
            ("LEDGER", sequence, false)
        );
    }

    assert_eq!(drain(&mut subscriber), ["1", "1"]);
    // What was asked is in the message, as a server would have read it.
    let log = broker.published("ledger.a");
    assert_eq!(log.len(), 2);
    for (name, value) in [
        ("nats-msg-id", "a-1"),
        ("nats-expected-stream", "LEDGER"),
        ("nats-expected-last-sequence", "99"),
        ("nats-expected-last-subject-sequence", "99"),
        ("nats-expected-last-msg-id", "other"),
    ] {
        assert_eq!(log[1].headers().get_str(name), Some(value), "{name}");
    }
}

// NATS-G10
#[tokio::test]
async fn a_durable_is_opened_again_with_another_start() {
    let broker = connect().await;
    let _first = broker.subscribe_with(source()).await.expect("opened");

    broker
        .subscribe_with(source().deliver_policy(DeliverPolicy::New))
        .await
        .expect("a server refuses this");
}

// NATS-G11
#[tokio::test]
async fn the_members_of_a_group_take_turns_exactly() {
    let broker = connect().await;
    let member = || ruststream_nats::CoreSubject::new("scans").queue_group("w");
    let mut members = Vec::new();
    for _ in 0..3 {
        members.push(broker.subscribe_with(member()).await.expect("opened"));
    }

    for number in 0..6 {
        publish(&broker, "scans", &number.to_string()).await;
    }

    let shares: Vec<_> = members.iter_mut().map(drain).collect();
    assert_eq!(shares, [["0", "3"], ["1", "4"], ["2", "5"]]);
}

// NATS-G12
#[tokio::test]
async fn a_batch_takes_what_is_there_and_waits_for_no_pull() {
    use futures_util::{FutureExt, StreamExt};
    use ruststream::BatchSubscriber;

    let broker = connect().await;
    let slow = source().pull_expires(NonZeroDuration::from_secs(nonzero!(60)));
    let mut subscriber = broker.subscribe_with(slow).await.expect("opened");
    publish(&broker, "ledger.a", "1").await;

    let mut batches = std::pin::pin!(subscriber.batches(nonzero!(10)));

    let batch = batches
        .next()
        .now_or_never()
        .expect("at once")
        .expect("goes on");
    assert_eq!(batch.expect("a batch").len(), 1);
}

// NATS-G13
#[tokio::test]
#[should_panic(expected = "in process has no client")]
async fn there_is_no_client() {
    let _client = connect().await.client();
}

// NATS-G13
#[tokio::test]
#[should_panic(expected = "in process has no JetStream context")]
async fn there_is_no_jetstream_context() {
    let _context = connect().await.jetstream();
}

// NATS-G16
#[tokio::test]
async fn what_was_published_before_a_subscription_is_not_delivered_to_it() {
    let broker = connect().await;
    let _reads = broker.subscribe_with(source()).await.expect("opened");
    publish(&broker, "ledger.a", "before").await;

    let everything = [
        DeliverPolicy::All,
        DeliverPolicy::Last,
        DeliverPolicy::ByStartSequence { start_sequence: 1 },
        DeliverPolicy::LastPerSubject,
    ];
    for (number, policy) in everything.into_iter().enumerate() {
        let durable = JetStreamSubject::new("ledger.*", "LEDGER").durable(format!("late-{number}"));
        let late = broker.subscribe_with(durable.deliver_policy(policy)).await;
        assert!(waiting(&mut late.expect("opened")).is_none(), "{policy:?}");
    }
}

// NATS-G17
#[tokio::test]
async fn a_durable_that_is_opened_again_starts_with_what_comes_after() {
    let broker = connect().await;
    drop(broker.subscribe_with(source()).await.expect("opened"));
    publish(&broker, "ledger.a", "meanwhile").await;

    let mut again = broker.subscribe_with(source()).await.expect("opened");
    publish(&broker, "ledger.a", "after").await;

    assert_eq!(drain(&mut again), ["after"]);
}

// CORE-280: the registration is found by the production type.
const _: fn() -> NatsBroker = production;
