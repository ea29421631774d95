//! The suites of the contract, against the server and in process.

#![allow(
    clippy::redundant_closure,
    clippy::redundant_closure_for_method_calls,
    reason = "the factories are written as callers write them: as closures"
)]

use std::time::Duration;

use ruststream::conformance::settlement::{self, Answer};
use ruststream::conformance::{capabilities, harness, in_process, lifecycle, message_shape};
use ruststream::testing::Backlog;
use ruststream::{FromName, Name};
use toy_broker::{ConnectedToy, ToyBroker, ToyPublisher, server};

mod topic;
use topic::ToyTopic;

/// Makes brokers of one server, which runs on a free port for as long as the test does.
async fn a_server() -> impl Fn() -> ToyBroker + Clone + Send + Sync + 'static {
    let address = server::listen("127.0.0.1:0").await.expect("a free port");
    move || ToyBroker::new(address)
}

/// Nothing listens there, and in process nobody asks.
fn nowhere() -> ToyBroker {
    ToyBroker::new(([127, 0, 0, 1], 1).into())
}

// CONF-11
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_in_process_mode() {
    harness::run_suite(nowhere).await;
}

// CONF-15, CONF-16
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_lifecycle_by_descriptor_and_by_name() {
    let broker = a_server().await;
    harness::lifecycle(
        broker.clone(),
        |name| ToyTopic::from_name(name.to_owned()),
        |c| c.publisher(),
    )
    .await;
    harness::lifecycle(broker, |name| Name::new(name.to_owned()), |c| c.publisher()).await;
}

// CONF-15, CONF-16, TEST-81, CORE-289
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_lifecycle_in_process() {
    harness::lifecycle(
        || harness::InProcessBroker::new(nowhere()),
        |name| ToyTopic::from_name(name.to_owned()),
        |connected| connected.publisher(),
    )
    .await;
}

// CORE-062, CORE-065, CORE-066
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_settlement_is_taken_but_the_delayed_one() {
    let answers = settlement::suite(
        a_server().await,
        |name| ToyTopic::from_name(name.to_owned()),
        |connected| connected.publisher(),
        Duration::ZERO,
    )
    .await;
    let settled = [answers.ack, answers.reject, answers.requeue];
    assert_eq!((settled, answers.delay), ([Answer::Settled; 3], false));
}

// CORE-283
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn settlements_are_the_same_in_process() {
    settlement::matches_in_process(
        a_server().await,
        |name| ToyTopic::from_name(name.to_owned()),
        |connected| connected.publisher(),
        Duration::ZERO,
    )
    .await;
}

// CORE-140
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn batches() {
    capabilities::batches(
        a_server().await,
        |name| ToyTopic::from_name(name.to_owned()),
        |connected| connected.publisher(),
    )
    .await;
}

// CORE-303
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_redelivery_address() {
    harness::redelivery_address(
        a_server().await,
        |name| ToyTopic::from_name(name.to_owned()),
        |connected| connected.publisher(),
    )
    .await;
}

// CORE-016
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_shutdown_flushes() {
    lifecycle::shutdown_flushes(
        a_server().await,
        |name| ToyTopic::from_name(name.to_owned()),
        |connected| connected.publisher(),
        Backlog::Missed,
    )
    .await;
}

// CORE-284, TEST-67
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_backlog_is_the_same_in_process() {
    in_process::backlog_matches_server(a_server().await, |connected| connected.publisher()).await;
}

fn topic(name: &str) -> ToyTopic {
    ToyTopic::from_name(name.to_owned())
}

fn publisher(connected: &ConnectedToy) -> ToyPublisher {
    connected.publisher()
}

// CORE-088, CORE-114
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_payload() {
    message_shape::payloads(a_server().await, topic, publisher).await;
    let in_process = || harness::InProcessBroker::new(nowhere());
    message_shape::payloads(in_process, topic, publisher).await;
    message_shape::concurrent_publishes(a_server().await, topic, publisher).await;
}

// CORE-031, CORE-140
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn streams_and_batches_lose_nothing() {
    lifecycle::stream_reopens(a_server().await, topic, publisher).await;
    capabilities::batches_are_whole(a_server().await, topic, publisher).await;
}

// CORE-062, CORE-068, CORE-069
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_requeue_is_whole() {
    // The toy has no keys.
    settlement::requeue_is_whole(
        a_server().await,
        topic,
        publisher,
        Duration::ZERO,
        |_, _| None,
    )
    .await;
}

// CORE-010, CORE-020
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_shutdown_ends() {
    lifecycle::others_stay_open(a_server().await, topic, publisher).await;
    lifecycle::late_settlements(a_server().await, topic, publisher, Duration::ZERO).await;
}

// CORE-066, CORE-284
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_subscription_that_was_dropped() {
    lifecycle::dropped_subscription(a_server().await, topic, publisher, Duration::ZERO).await;
    in_process::dropped_subscription(nowhere).await;
}

// CORE-280, TEST-67
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_tests_rely_on() {
    in_process::registered::<ToyBroker>();
    in_process::publish_log(nowhere).await;
    in_process::one_coordinator(nowhere).await;
    in_process::routes(nowhere).await;
}

// CORE-230, CORE-291
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_shows_a_password() {
    // The toy knows none: this holds it for who copies it.
    let secret = "hunter2";
    message_shape::shows_without_credentials(a_server().await, topic, publisher, secret).await;
    message_shape::shows_without_credentials(nowhere, topic, publisher, secret).await;
}
