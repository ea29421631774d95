//! `helpers` (section B9 of the conformance chapter, CONF-06).

mod support;

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use ruststream_conformance::helpers::{
    next_message, unique_subject, wait_for_no_messages, wait_until, wait_until_async,
};
use ruststream_core::{Broker, IncomingMessage, OutgoingMessage, Publisher, SubscriptionSource};
use support::*;
use tokio::time::Instant;

const SHORT: Duration = Duration::from_millis(100);

#[test]
fn no_two_subjects_are_the_same_and_all_keep_to_their_characters() {
    let made = || -> Vec<_> { (0..100).map(|_| unique_subject("parcels")).collect() };
    let threads: Vec<_> = (0..4).map(|_| thread::spawn(made)).collect();
    let subjects = threads
        .into_iter()
        .flat_map(|thread| thread.join().expect("made"));
    let subjects: HashSet<_> = subjects.collect();

    assert_eq!(subjects.len(), 400);
    for subject in subjects {
        let suffix = subject
            .strip_prefix("parcels.")
            .expect("the prefix and a dot");
        let allowed = |c: char| matches!(c, '0'..='9' | 'a'..='f' | '-');
        assert!(
            !suffix.is_empty() && suffix.chars().all(allowed),
            "{subject}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_condition_is_looked_at_every_ten_milliseconds_until_it_holds() {
    let start = Instant::now();
    assert!(wait_until(|| start.elapsed() >= Duration::from_millis(35), SHORT).await);
    assert_eq!(start.elapsed(), Duration::from_millis(40));

    let looks = AtomicUsize::new(0);
    let third = || async { looks.fetch_add(1, Ordering::Relaxed) == 2 };
    assert!(wait_until_async(third, SHORT).await);
    assert_eq!(looks.load(Ordering::Relaxed), 3);
}

#[tokio::test(start_paused = true)]
async fn a_condition_that_does_not_hold_in_time_is_given_up() {
    let start = Instant::now();
    assert!(!wait_until(|| false, SHORT).await);
    assert_eq!(start.elapsed(), SHORT);
    // A look that does not return is dropped.
    assert!(!wait_until_async(std::future::pending, SHORT).await);
}

async fn reading(twist: impl Twist) -> (ConnectedToy, impl ruststream_core::Subscriber) {
    let connected = toys(Kind::Each, twist)().connect().await.expect("connects");
    let subscriber = <Slot>::new("parcels")
        .subscribe(&connected)
        .await
        .expect("opens");
    (connected, subscriber)
}

async fn publish(connected: &ConnectedToy, payload: &[u8]) {
    let publisher = connected.publisher();
    let message = OutgoingMessage::new("parcels", payload);
    publisher.publish(message, None).await.expect("publishes");
}

#[tokio::test(start_paused = true)]
async fn silence_is_ok_and_a_delivery_is_handed_over() {
    let (connected, mut subscriber) = reading(Honest).await;
    assert!(wait_for_no_messages(&mut subscriber, SHORT).await.is_ok());

    publish(&connected, b"fragile").await;
    let came = wait_for_no_messages(&mut subscriber, SHORT).await;
    assert_eq!(came.expect_err("a delivery").payload(), b"fragile");
}

/// What the stream does instead of waiting.
struct Yields(fn() -> Option<Result<Delivery, ToyError>>);

impl Twist for Yields {
    fn next<'a>(&'a self, _: &'a mut Reader) -> Task<'a, Option<Result<Delivery, ToyError>>> {
        now((self.0)())
    }
}

const FAILED: Option<Result<Delivery, ToyError>> = Some(Err(ToyError::Refused("to deliver")));

#[tokio::test(start_paused = true)]
async fn an_end_and_errors_are_silence() {
    let (_connected, mut ended) = reading(Yields(|| None)).await;
    assert!(wait_for_no_messages(&mut ended, SHORT).await.is_ok());
    let (_connected, mut failing) = reading(Yields(|| FAILED)).await;
    assert!(wait_for_no_messages(&mut failing, SHORT).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn messages_are_read_one_by_one() {
    let (connected, mut subscriber) = reading(Honest).await;
    publish(&connected, b"one").await;
    publish(&connected, b"two").await;
    for payload in [b"one", b"two"] {
        let message = next_message(&mut subscriber, SHORT).await;
        assert_eq!(message.payload(), payload);
        message.ack().await.expect("acks");
    }
}

#[tokio::test(start_paused = true)]
#[should_panic(expected = "nothing came within 100ms")]
async fn no_message_in_time_panics() {
    let (_connected, mut subscriber) = reading(Honest).await;
    drop(next_message(&mut subscriber, SHORT).await);
}

#[tokio::test(start_paused = true)]
#[should_panic(expected = "the subscription ended")]
async fn an_end_in_place_of_a_message_panics() {
    let (_connected, mut subscriber) = reading(Yields(|| None)).await;
    drop(next_message(&mut subscriber, SHORT).await);
}

#[tokio::test(start_paused = true)]
#[should_panic(expected = "the subscription reported")]
async fn an_error_in_place_of_a_message_panics() {
    let (_connected, mut subscriber) = reading(Yields(|| FAILED)).await;
    drop(next_message(&mut subscriber, SHORT).await);
}
