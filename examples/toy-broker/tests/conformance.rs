//! The suites of the contract, against the server and in process.

#![allow(
    clippy::redundant_closure,
    clippy::redundant_closure_for_method_calls,
    reason = "the factories are written as callers write them: as closures"
)]

use std::time::Duration;

use ruststream::conformance::settlement::{self, Answer};
use ruststream::conformance::{capabilities, harness, in_process, lifecycle};
use ruststream::testing::Backlog;
use ruststream::{FromName, Name};
use toy_broker::{ToyBroker, server};

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
