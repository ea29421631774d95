//! The suites of the contract, in process (NATS-950).

use std::time::Duration;

use ruststream::conformance::settlement::{Answer, Delay};
use ruststream::conformance::{
    capabilities, harness, in_process, lifecycle, message_shape, retry, settlement,
};
use ruststream::{HeaderMap, IncomingMessage, Name};
use ruststream_nats::{
    ConnectedNatsBroker, CoreSubject, JetStreamOptions, JetStreamPublish, JetStreamSubject,
    NatsBroker, NatsMessage, NatsPublish, NatsPublisher, NonZeroDuration, PARTITION_KEY_HEADER,
};

type InProcess = harness::InProcessBroker<NatsBroker>;

const ACK_WAIT: Duration = Duration::from_secs(2);

fn production() -> NatsBroker {
    NatsBroker::new("nats://nobody:4222")
}

fn broker() -> InProcess {
    InProcess::new(production())
}

fn durable(subject: &str) -> JetStreamSubject {
    JetStreamSubject::new(subject, "CONFORMANCE")
        .durable("suite")
        .ack_wait(NonZeroDuration::new(ACK_WAIT).expect("not zero"))
}

fn pattern(subject: &str) -> JetStreamSubject {
    durable(subject).filter_subject("conformance.redelivery.*")
}

fn core(subject: &str) -> CoreSubject {
    CoreSubject::new(subject)
}

fn name(subject: &str) -> Name {
    Name::new(subject.to_owned())
}

fn publisher(connected: &ConnectedNatsBroker) -> NatsPublisher {
    connected.publisher(NatsPublish)
}

#[tokio::test]
async fn the_routing_suite() {
    harness::run_suite(production).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_lifecycle_of_a_core_subject() {
    harness::lifecycle(broker, core, publisher).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_lifecycle_of_a_durable() {
    harness::lifecycle(broker, durable, publisher).await;
}

#[tokio::test]
async fn the_redelivery_addresses() {
    retry::redelivery_address(broker, core, publisher).await;
    retry::redelivery_address(broker, name, publisher).await;
    retry::redelivery_address(broker, durable, publisher).await;
    retry::redelivery_address(broker, pattern, publisher).await;
}

// CONF-46
#[tokio::test]
async fn core_settles_nothing() {
    let answers = settlement::suite(broker, core, publisher, Duration::ZERO).await;

    assert_eq!(
        (answers.ack, answers.reject),
        (Answer::Unsupported, Answer::Unsupported)
    );
    assert_eq!(
        (answers.requeue, answers.delay),
        (Answer::Unsupported, false)
    );
}

// CONF-46
#[tokio::test]
async fn a_durable_settles_everything() {
    let answers = settlement::suite(broker, durable, publisher, ACK_WAIT).await;

    assert_eq!(
        (answers.ack, answers.reject),
        (Answer::Settled, Answer::Settled)
    );
    assert_eq!((answers.requeue, answers.delay), (Answer::Settled, true));
}

#[tokio::test]
async fn batches_of_both_models() {
    capabilities::batches(broker, core, publisher).await;
    capabilities::batches(broker, durable, publisher).await;
}

#[tokio::test]
async fn requests() {
    capabilities::request_reply(broker, core, publisher, publisher).await;
}

fn keyed(key: &[u8], headers: &mut HeaderMap) -> Option<()> {
    headers.insert(PARTITION_KEY_HEADER, key.to_vec());
    None
}

#[tokio::test]
async fn keys_keep_their_order() {
    message_shape::keyed_order(broker, "conformance.keys", core, publisher, keyed).await;
    message_shape::keyed_order(broker, "conformance.keys", durable, publisher, keyed).await;
}

// CORE-088, CORE-114
#[tokio::test(start_paused = true)]
async fn every_payload() {
    message_shape::payloads(broker, core, publisher).await;
    message_shape::payloads(broker, durable, publisher).await;
    message_shape::concurrent_publishes(broker, core, publisher).await;
    message_shape::concurrent_publishes(broker, durable, publisher).await;
}

// CORE-031, CORE-140
#[tokio::test(start_paused = true)]
async fn streams_and_batches_lose_nothing() {
    lifecycle::stream_reopens(broker, core, publisher).await;
    lifecycle::stream_reopens(broker, durable, publisher).await;
    capabilities::batches_are_whole(broker, core, publisher).await;
    capabilities::batches_are_whole(broker, durable, publisher).await;
}

// CORE-062, CORE-068 to CORE-069: also where a pattern names no address of its own
#[tokio::test(start_paused = true)]
async fn redeliveries_are_whole() {
    let matching = |subject: &str| durable(subject).filter_subject("conformance.settlement.>");
    settlement::requeue_is_whole(broker, core, publisher, Duration::ZERO, keyed).await;
    settlement::requeue_is_whole(broker, durable, publisher, ACK_WAIT, keyed).await;
    settlement::requeue_is_whole(broker, matching, publisher, ACK_WAIT, keyed).await;
    let hour = Duration::from_hours(1);
    settlement::delay_is_whole(broker, core, publisher, hour, Delay::Redelivered).await;
    settlement::delay_is_whole(broker, durable, publisher, hour, Delay::Redelivered).await;
}

// CORE-010, CORE-020
#[tokio::test(start_paused = true)]
async fn what_a_shutdown_ends() {
    lifecycle::others_stay_open(broker, core, publisher).await;
    lifecycle::others_stay_open(broker, durable, publisher).await;
    lifecycle::late_settlements(broker, core, publisher, Duration::ZERO).await;
    lifecycle::late_settlements(broker, durable, publisher, ACK_WAIT).await;
}

// CORE-066, CORE-284, TEST-33
#[tokio::test(start_paused = true)]
async fn subscriptions_that_were_dropped() {
    let grouped = |subject: &str| core(subject).queue_group("workers");
    lifecycle::dropped_subscription(broker, core, publisher, Duration::ZERO).await;
    lifecycle::dropped_subscription(broker, grouped, publisher, Duration::ZERO).await;
    lifecycle::dropped_subscription(broker, durable, publisher, ACK_WAIT).await;
    in_process::dropped_subscription(production).await;
}

// CORE-280, TEST-67
#[tokio::test]
async fn what_tests_rely_on() {
    in_process::registered::<NatsBroker>();
    in_process::publish_log(production).await;
    in_process::one_coordinator(production).await;
    in_process::routes(production).await;
}

// CORE-160, CORE-162
#[tokio::test(start_paused = true)]
async fn replies_are_whole() {
    capabilities::replies_are_whole(broker, core, publisher, publisher).await;
}

// CORE-230, CORE-291
#[tokio::test]
async fn nothing_shows_credentials() {
    let secret = "s3cret\"\\";
    let telling = || {
        let addresses = format!("nats://desk:{secret}@one:4222, nats://{secret}@two:4222");
        InProcess::new(NatsBroker::new(addresses))
    };
    message_shape::shows_without_credentials(telling, core, publisher, secret).await;
    message_shape::shows_without_credentials(telling, durable, publisher, secret).await;
}

/// What a delivery shows of the options it was published with.
pub(crate) fn observed(message: &NatsMessage) -> (Option<String>, Option<String>) {
    let header = |name| message.headers().get_str(name).map(str::to_owned);
    (header("nats-expected-stream"), header("nats-msg-id"))
}

// NATS-950: as refused value an identity with a line break; expectations are refused live only
#[tokio::test]
async fn publish_options() {
    let with_id = |id: &str| JetStreamOptions {
        message_id: Some(id.to_owned()),
        ..JetStreamOptions::default()
    };
    let stream = Some("CONFORMANCE".to_owned());
    let cases = message_shape::OptionCases::new((stream.clone(), None))
        .overrides(with_id("a-1"), (stream.clone(), Some("a-1".to_owned())))
        .overrides(with_id("a-2"), (stream, Some("a-2".to_owned())))
        .refuses(with_id("a\r\nb"));

    message_shape::publish_options(
        broker,
        "conformance.options",
        durable,
        JetStreamPublish::default().expect_stream("CONFORMANCE"),
        cases,
        observed,
    )
    .await;
}

// NATS-20, NATS-204
#[cfg(feature = "asyncapi")]
#[test]
fn nothing_described_carries_credentials() {
    let secret = "s3cret\"\\";
    let broker = NatsBroker::new(format!(
        "nats://desk:{secret}@one:4222, nats://{secret}@two:4222"
    ));
    harness::describes_without_credentials(
        &broker,
        &CoreSubject::new("scans").queue_group("w"),
        secret,
    );
    harness::describes_without_credentials(&broker, &durable("scans"), secret);
    message_shape::publishes_without_credentials(&NatsPublish, secret);
    let stored = JetStreamPublish::default().expect_stream("LEDGER");
    message_shape::publishes_without_credentials(&stored, secret);
    message_shape::describes_addresses_without_credentials(
        |addresses| NatsBroker::new(addresses.join(", ")),
        "nats",
    );
}
