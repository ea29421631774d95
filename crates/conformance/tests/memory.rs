//! CONF-44: the in-memory broker passes every suite that applies to it.

#![allow(
    clippy::redundant_closure,
    clippy::redundant_closure_for_method_calls,
    reason = "the factories are written as callers write them: as closures"
)]

use std::time::Duration;

use ruststream_conformance::harness::InProcessBroker;
use ruststream_conformance::message_shape::OptionCases;
use ruststream_conformance::settlement::{self, Answer};
use ruststream_conformance::{capabilities, harness, in_process, lifecycle, message_shape, retry};
use ruststream_core::testing::Backlog;
use ruststream_core::{Name, nonzero};
use ruststream_memory::{
    MemoryBroker, MemoryPattern, MemoryPosition, MemoryPublish, MemorySource, PARTITION_KEY_HEADER,
    Retaining, Retention,
};

/// A broker with a log, which the suites that read one back need.
fn retaining() -> MemoryBroker<Retaining> {
    MemoryBroker::retaining(Retention::Messages(nonzero!(64)))
}

/// Clones of one bus: brokers that reach one world.
fn one_bus() -> impl Fn() -> MemoryBroker {
    let bus = MemoryBroker::new();
    move || bus.clone()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_routing_of_a_broker_with_a_log() {
    harness::run_suite(retaining).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[should_panic(expected = "run_suite: log: `published` holds []")]
async fn a_broker_without_a_log_has_none_to_show_without_a_harness() {
    harness::run_suite(MemoryBroker::new).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn its_lifecycle() {
    harness::lifecycle(
        MemoryBroker::new,
        |name| MemorySource::new(name),
        |broker| broker.publisher(),
    )
    .await;
}

// CORE-289
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn its_lifecycle_by_name_in_process() {
    harness::lifecycle(
        || InProcessBroker::new(MemoryBroker::new()),
        |name| Name::new(name.to_owned()),
        |broker| broker.publisher(),
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn what_a_shutdown_flushes() {
    lifecycle::shutdown_flushes(
        one_bus(),
        |name| MemorySource::new(name),
        |broker| broker.publisher(),
        Backlog::Missed,
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn its_clones_close_with_it() {
    lifecycle::shared_handle_closes(
        MemoryBroker::new,
        |name| MemorySource::new(name),
        |broker| broker.publisher(),
    )
    .await;
}

fn matching((stem, _last): (&str, &str)) -> String {
    format!("{stem}.*")
}

#[tokio::test(start_paused = true)]
async fn its_redelivery_addresses_by_source_by_name_and_by_pattern() {
    retry::redelivery_address(
        MemoryBroker::new,
        |name| MemorySource::new(name),
        |broker| broker.publisher(),
    )
    .await;
    retry::redelivery_address(
        MemoryBroker::new,
        |name| Name::new(name.to_owned()),
        |broker| broker.publisher(),
    )
    .await;
    // The pattern `conformance.redelivery.*` matches the subject, and itself.
    retry::redelivery_address(
        MemoryBroker::new,
        |name| MemoryPattern::new(name.rsplit_once('.').map_or(">".into(), matching)),
        |broker| broker.publisher(),
    )
    .await;
}

// TEST-76, CORE-289
#[tokio::test(start_paused = true)]
async fn its_settlements_hold_and_are_the_same_in_process() {
    let answers = settlement::suite(
        MemoryBroker::new,
        |name| MemorySource::new(name),
        |broker| broker.publisher(),
        Duration::ZERO,
    )
    .await;
    assert_eq!(
        (answers.ack, answers.reject, answers.requeue, answers.delay),
        (Answer::Settled, Answer::Settled, Answer::Settled, true)
    );
    settlement::matches_in_process(
        MemoryBroker::new,
        |name| MemorySource::new(name),
        |broker| broker.publisher(),
        Duration::ZERO,
    )
    .await;
}

// TEST-75
#[tokio::test(start_paused = true)]
async fn its_backlog_and_its_refusals_are_the_same_in_process() {
    in_process::backlog_matches_server(MemoryBroker::new, |broker| broker.publisher()).await;
    in_process::refuses_like_the_server(
        MemoryBroker::new,
        |broker| broker.publisher(),
        [in_process::Refusal::Subscription {
            source: MemorySource::new("parcels.*"),
        }],
    )
    .await;
}

// CORE-068
#[tokio::test(start_paused = true)]
async fn its_keys() {
    message_shape::keyed_order(
        MemoryBroker::new,
        "parcels",
        |name| MemorySource::new(name),
        |broker| broker.publisher(),
        |key, headers| {
            headers.insert(PARTITION_KEY_HEADER, key.to_vec());
            None
        },
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn its_options_of_which_there_are_none() {
    message_shape::publish_options(
        MemoryBroker::new,
        "parcels",
        |name| MemorySource::new(name),
        MemoryPublish,
        OptionCases::new("parcels".to_owned()).overrides((), "parcels".to_owned()),
        |message| message.name().to_owned(),
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn its_batches() {
    capabilities::batches(
        MemoryBroker::new,
        |name| MemorySource::new(name),
        |broker| broker.publisher(),
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn its_seeks() {
    capabilities::seeking(
        retaining,
        |name| MemorySource::new(name),
        |broker| broker.publisher(),
    )
    .await;
    capabilities::batch_seeking(
        retaining,
        |name| MemorySource::new(name),
        |broker| broker.publisher(),
    )
    .await;
    capabilities::seeking_unknown_position(
        || MemoryBroker::retaining(Retention::Messages(nonzero!(2))),
        |name| MemorySource::new(name),
        |broker| broker.publisher(),
        |_| MemoryPosition::sequence(0),
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn its_requests() {
    capabilities::request_reply(
        MemoryBroker::new,
        |name| MemorySource::new(name),
        |broker| broker.requester(),
        |broker| broker.publisher(),
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn its_transactions() {
    capabilities::transactions(
        MemoryBroker::new,
        |name| MemorySource::new(name),
        |broker| broker.publisher(),
    )
    .await;
    capabilities::owned_transactions(
        MemoryBroker::new,
        |name| MemorySource::new(name),
        |broker| broker.publisher(),
    )
    .await;
}

#[cfg(feature = "asyncapi")]
#[test]
fn what_it_describes() {
    use ruststream_memory::ConnectedMemoryBroker;

    harness::describes_without_credentials(
        &MemoryBroker::new(),
        &MemorySource::new("parcels"),
        "hunter2",
    );
    message_shape::publishes_without_credentials::<ConnectedMemoryBroker, _>(
        &MemoryPublish,
        "hunter2",
    );
}

/// Callers may spawn a suite; with such factories its future can go to another thread.
#[test]
fn the_futures_of_the_suites_are_send() {
    fn sent(_: impl Send) {}

    sent(harness::run_suite(retaining));
    sent(harness::lifecycle(
        MemoryBroker::new,
        |name| MemorySource::new(name),
        |broker| broker.publisher(),
    ));
    sent(lifecycle::shutdown_flushes(
        MemoryBroker::new,
        |name| MemorySource::new(name),
        |broker| broker.publisher(),
        Backlog::Missed,
    ));
    sent(retry::redelivery_address(
        MemoryBroker::new,
        |name| MemorySource::new(name),
        |broker| broker.publisher(),
    ));
    sent(settlement::matches_in_process(
        MemoryBroker::new,
        |name| MemorySource::new(name),
        |broker| broker.publisher(),
        Duration::ZERO,
    ));
    sent(in_process::backlog_matches_server(
        MemoryBroker::new,
        |broker| broker.publisher(),
    ));
    sent(capabilities::batches(
        MemoryBroker::new,
        |name| MemorySource::new(name),
        |broker| broker.publisher(),
    ));
    sent(capabilities::request_reply(
        MemoryBroker::new,
        |name| MemorySource::new(name),
        |broker| broker.requester(),
        |broker| broker.publisher(),
    ));
    sent(capabilities::transactions(
        MemoryBroker::new,
        |name| MemorySource::new(name),
        |broker| broker.publisher(),
    ));
    sent(capabilities::seeking(
        retaining,
        |name| MemorySource::new(name),
        |broker| broker.publisher(),
    ));
    sent(capabilities::batch_seeking(
        retaining,
        |name| MemorySource::new(name),
        |broker| broker.publisher(),
    ));
    sent(lifecycle::shared_handle_closes(
        MemoryBroker::new,
        |name| MemorySource::new(name),
        |broker| broker.publisher(),
    ));
    sent(capabilities::owned_transactions(
        MemoryBroker::new,
        |name| MemorySource::new(name),
        |broker| broker.publisher(),
    ));
}
