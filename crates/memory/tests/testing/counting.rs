use std::time::Duration;

use ruststream_core::testing::{Coordinator, TestableBroker};
use ruststream_core::{
    Broker, IncomingMessage, OutgoingMessage, Publisher, RequestReply, Seekable, Seeker,
    SubscriptionSource, TransactionalPublisher, nonzero,
};
use ruststream_memory::{MemoryBroker, MemoryPattern, MemoryPosition, Retention};

use crate::support::{at_rest, harnessed, is_empty, next, publish, subscribe};

// MEM-76, CORE-288
#[tokio::test]
async fn every_copy_counts_from_its_publish_to_its_settlement() {
    let (broker, coordinator) = harnessed(MemoryBroker::new()).await;
    let (mut one, mut other) = (subscribe(&broker, "a").await, subscribe(&broker, "a").await);
    publish(&broker, "a", b"1").await;
    assert!(!at_rest(&coordinator));

    next(&mut one).ack().await.unwrap();
    assert!(!at_rest(&coordinator));
    next(&mut other).nack(false).await.unwrap();
    assert!(at_rest(&coordinator));
    publish(&broker, "nobody", b"1").await;
    assert!(at_rest(&coordinator));
}

// MEM-76
#[tokio::test]
async fn whatever_ends_a_copy_releases_it_once() {
    let (broker, coordinator) = harnessed(MemoryBroker::new()).await;
    let mut parcels = subscribe(&broker, "a").await;
    for _ in 0..3 {
        publish(&broker, "a", b"1").await;
    }
    let _ = next(&mut parcels).into_raw();
    drop(next(&mut parcels));
    assert!(!at_rest(&coordinator));
    drop(parcels);
    assert!(at_rest(&coordinator));
    assert_eq!(
        format!("{coordinator:?}"),
        "Coordinator { in_flight: 0, processed: 4, .. }"
    );
}

// MEM-76, TEST-34
#[tokio::test]
async fn a_requeue_never_leaves_the_count_at_zero() {
    let (broker, coordinator) = harnessed(MemoryBroker::new()).await;
    let mut parcels = subscribe(&broker, "a").await;
    publish(&broker, "a", b"1").await;
    for _ in 0..2 {
        next(&mut parcels).nack(true).await.unwrap();
        assert!(!at_rest(&coordinator));
    }
    next(&mut parcels).nack_after(Duration::ZERO).await.unwrap();
    assert!(!at_rest(&coordinator));
    next(&mut parcels).ack().await.unwrap();
    assert!(at_rest(&coordinator));
}

// MEM-76, TEST-25, CORE-288
#[tokio::test(start_paused = true)]
async fn a_delayed_redelivery_counts_from_its_time_on() {
    let (broker, coordinator) = harnessed(MemoryBroker::new()).await;
    let mut parcels = subscribe(&broker, "a").await;
    publish(&broker, "a", b"1").await;
    next(&mut parcels)
        .nack_after(Duration::from_secs(2))
        .await
        .unwrap();
    assert!(at_rest(&coordinator));

    tokio::time::advance(Duration::from_millis(1_999)).await;
    coordinator.fire_due_timers().await;
    assert!(at_rest(&coordinator) && is_empty(&mut parcels));
    tokio::time::advance(Duration::from_millis(1)).await;
    coordinator.fire_due_timers().await;
    assert!(!at_rest(&coordinator));
    assert_eq!(next(&mut parcels).redelivery_count(), Some(2));
    assert!(!at_rest(&coordinator));
}

// MEM-77
#[tokio::test]
async fn a_subscription_opened_before_the_harness_came_counts_too() {
    let broker = MemoryBroker::new().connect().await.unwrap();
    let mut parcels = subscribe(&broker, "a").await;
    publish(&broker, "a", b"before").await;
    let coordinator = Coordinator::new(usize::MAX);
    broker.install_coordinator(coordinator.clone());
    broker.install_coordinator(Coordinator::new(usize::MAX));

    publish(&broker, "a", b"after").await;
    next(&mut parcels).ack().await.unwrap();
    assert!(!at_rest(&coordinator));
    next(&mut parcels).ack().await.unwrap();
    assert!(at_rest(&coordinator));
}

// MEM-76, TEST-34, PUB-807
#[tokio::test]
async fn a_reply_on_its_way_to_the_requester_is_not_counted() {
    let (broker, coordinator) = harnessed(MemoryBroker::new()).await;
    let mut questions = subscribe(&broker, "ask").await;
    let requester = broker.requester();
    let ask = requester.request(OutgoingMessage::new("ask", b"?"), Duration::from_secs(1));
    let answer = async {
        let question = next(&mut questions);
        let to = question.headers().reply_to().unwrap().to_owned();
        publish(&broker, &to, b"!").await;
        question.ack().await.unwrap();
        assert!(at_rest(&coordinator));
        to
    };
    let (reply, to) = tokio::join!(ask, answer);
    assert_eq!(reply.unwrap().payload(), b"!");
    assert!(broker.published(&to).is_empty());
}

// MEM-76
#[tokio::test]
async fn a_reply_counts_for_a_pattern_that_reads_it() {
    let (broker, coordinator) = harnessed(MemoryBroker::new()).await;
    let everything = MemoryPattern::new(">");
    let mut everything = everything.subscribe(&broker).await.unwrap();
    let requester = broker.requester();
    let ask = requester.request(OutgoingMessage::new("ask", b"?"), Duration::from_secs(1));
    let answer = async {
        let question = next(&mut everything);
        let to = question.headers().reply_to().unwrap().to_owned();
        publish(&broker, &to, b"!").await;
        question.ack().await.unwrap();
    };
    let (reply, ()) = tokio::join!(ask, answer);
    reply.unwrap();
    assert!(!at_rest(&coordinator));
    next(&mut everything).ack().await.unwrap();
    assert!(at_rest(&coordinator));
}

// MEM-76
#[tokio::test]
async fn a_transaction_counts_at_its_commit() {
    let (broker, coordinator) = harnessed(MemoryBroker::new()).await;
    let mut parcels = subscribe(&broker, "a").await;
    let publisher = broker.publisher();
    publisher.begin_transaction().await.unwrap();
    publisher
        .publish(OutgoingMessage::new("a", b"1"), None)
        .await
        .unwrap();
    assert!(at_rest(&coordinator));
    publisher.commit().await.unwrap();
    assert!(!at_rest(&coordinator));
    next(&mut parcels).ack().await.unwrap();
    assert!(at_rest(&coordinator));
}

// MEM-76
#[tokio::test]
async fn a_seek_counts_its_replay_before_it_releases_what_it_skips() {
    let retention = Retention::Messages(nonzero!(8));
    let (broker, coordinator) = harnessed(MemoryBroker::retaining(retention)).await;
    let mut parcels = subscribe(&broker, "a").await;
    for _ in 0..3 {
        publish(&broker, "a", b"1").await;
    }
    next(&mut parcels).ack().await.unwrap();

    parcels.seeker().seek(MemoryPosition::Start).await.unwrap();
    for _ in 0..3 {
        assert!(!at_rest(&coordinator));
        next(&mut parcels).ack().await.unwrap();
    }
    assert!(at_rest(&coordinator));

    publish(&broker, "a", b"1").await;
    parcels.seeker().seek(MemoryPosition::End).await.unwrap();
    assert!(is_empty(&mut parcels));
    assert!(at_rest(&coordinator));
}
