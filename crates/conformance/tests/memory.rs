//! CONF-44: the in-memory broker passes every suite that applies to it.

#![allow(
    clippy::redundant_closure,
    clippy::redundant_closure_for_method_calls,
    reason = "the factories are written as callers write them: as closures"
)]

use std::time::Duration;

use ruststream_conformance::harness::InProcessBroker;
use ruststream_conformance::message_shape::OptionCases;
use ruststream_conformance::settlement::{self, Answer, Delay};
use ruststream_conformance::{capabilities, harness, in_process, lifecycle, message_shape, retry};
use ruststream_core::testing::Backlog;
use ruststream_core::{HeaderMap, Name, nonzero};
use ruststream_memory::{
    ConnectedMemoryBroker, MemoryBroker, MemoryPattern, MemoryPosition, MemoryPublish,
    MemorySource, PARTITION_KEY_HEADER, Retaining, Retention,
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

// CORE-031
#[tokio::test(start_paused = true)]
async fn its_streams() {
    lifecycle::stream_reopens(
        MemoryBroker::new,
        |name| MemorySource::new(name),
        |broker| broker.publisher(),
    )
    .await;
}

// CORE-114
#[tokio::test(start_paused = true)]
async fn its_payloads() {
    message_shape::concurrent_publishes(
        MemoryBroker::new,
        |name| MemorySource::new(name),
        |broker| broker.publisher(),
    )
    .await;
    message_shape::payloads(
        MemoryBroker::new,
        |name| MemorySource::new(name),
        |broker| broker.publisher(),
    )
    .await;
}

/// The key of a message, for the suites that publish one.
fn keyed(key: &[u8], headers: &mut HeaderMap) -> Option<()> {
    headers.insert(PARTITION_KEY_HEADER, key.to_vec());
    None
}

// CORE-062, CORE-068, CORE-069: by name and by pattern.
#[tokio::test(start_paused = true)]
async fn its_redeliveries_are_whole() {
    settlement::requeue_is_whole(
        MemoryBroker::new,
        |name| MemorySource::new(name),
        |broker| broker.publisher(),
        Duration::ZERO,
        keyed,
    )
    .await;
    settlement::requeue_is_whole(
        MemoryBroker::new,
        |_| MemoryPattern::new("conformance.settlement.whole.*"),
        |broker| broker.publisher(),
        Duration::ZERO,
        keyed,
    )
    .await;
    settlement::delay_is_whole(
        MemoryBroker::new,
        |name| MemorySource::new(name),
        |broker| broker.publisher(),
        Duration::from_hours(24),
        Delay::Redelivered,
    )
    .await;
}

// CORE-010, CORE-020, CORE-066
#[tokio::test(start_paused = true)]
async fn what_its_shutdown_leaves_alone() {
    lifecycle::others_stay_open(
        MemoryBroker::new,
        |name| MemorySource::new(name),
        |broker| broker.publisher(),
    )
    .await;
    lifecycle::late_settlements(
        MemoryBroker::new,
        |name| MemorySource::new(name),
        |broker| broker.publisher(),
        Duration::ZERO,
    )
    .await;
}

// CORE-066, TEST-33
#[tokio::test(start_paused = true)]
async fn its_dropped_subscriptions() {
    lifecycle::dropped_subscription(
        MemoryBroker::new,
        |name| MemorySource::new(name),
        |broker| broker.publisher(),
        Duration::ZERO,
    )
    .await;
    in_process::dropped_subscription(MemoryBroker::new).await;
    in_process::dropped_subscription(retaining).await;
}

// TEST-67, CORE-280
#[tokio::test]
async fn its_in_process_mode_in_full() {
    in_process::registered::<MemoryBroker>();
    in_process::registered::<MemoryBroker<Retaining>>();
    in_process::publish_log(MemoryBroker::new).await;
    in_process::publish_log(retaining).await;
    in_process::publish_log(|| MemoryBroker::retaining(Retention::Messages(nonzero!(2)))).await;
    in_process::one_coordinator(MemoryBroker::new).await;
    in_process::routes(MemoryBroker::new).await;
}

// CORE-291
#[tokio::test]
async fn what_it_shows() {
    message_shape::shows_without_credentials(
        MemoryBroker::new,
        |name| MemorySource::new(name),
        |broker| broker.publisher(),
        "hunter2",
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
        keyed,
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
    capabilities::batches_are_whole(
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
    capabilities::seeks_are_whole(
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
    capabilities::replies_are_whole(
        MemoryBroker::new,
        |name| MemorySource::new(name),
        |broker| broker.requester(),
        |broker| broker.publisher(),
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn its_transactions() {
    capabilities::transactions_are_whole(
        MemoryBroker::new,
        |name| MemorySource::new(name),
        |broker| broker.publisher(),
    )
    .await;
    capabilities::owned_transactions_are_whole(
        MemoryBroker::new,
        |name| MemorySource::new(name),
        |broker| broker.publisher(),
    )
    .await;
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

#[test]
fn the_futures_of_the_suites_of_wholeness_are_send() {
    fn sent(_: impl Send) {}

    let source = |name: &str| MemorySource::new(name.to_owned());
    let publisher = |broker: &ConnectedMemoryBroker| broker.publisher();
    let requester = |broker: &ConnectedMemoryBroker| broker.requester();
    let broker = MemoryBroker::new;
    sent(message_shape::payloads(broker, source, publisher));
    sent(message_shape::shows_without_credentials(
        broker, source, publisher, "hunter2",
    ));
    sent(message_shape::concurrent_publishes(
        broker, source, publisher,
    ));
    sent(lifecycle::stream_reopens(broker, source, publisher));
    sent(capabilities::batches_are_whole(broker, source, publisher));
    sent(capabilities::seeks_are_whole(retaining, source, |broker| {
        broker.publisher()
    }));
    sent(lifecycle::unsettled_returns(
        broker,
        source,
        publisher,
        Duration::ZERO,
    ));
    sent(lifecycle::late_settlements(
        broker,
        source,
        publisher,
        Duration::ZERO,
    ));
    sent(lifecycle::others_stay_open(broker, source, publisher));
    sent(lifecycle::dropped_subscription(
        broker,
        source,
        publisher,
        Duration::ZERO,
    ));
    sent(settlement::requeue_is_whole(
        broker,
        source,
        publisher,
        Duration::ZERO,
        keyed,
    ));
    sent(settlement::delay_is_whole(
        broker,
        source,
        publisher,
        Duration::ZERO,
        Delay::Redelivered,
    ));
    sent(capabilities::transactions_are_whole(
        broker, source, publisher,
    ));
    sent(capabilities::owned_transactions_are_whole(
        broker, source, publisher,
    ));
    sent(capabilities::replies_are_whole(
        broker, source, requester, publisher,
    ));
    sent(in_process::publish_log(broker));
    sent(in_process::one_coordinator(broker));
    sent(in_process::routes(broker));
    sent(in_process::dropped_subscription(broker));
}
