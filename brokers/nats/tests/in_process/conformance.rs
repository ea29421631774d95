//! The suites of the contract, in process (NATS-950).

use std::time::Duration;

use ruststream::conformance::settlement::Answer;
use ruststream::conformance::{capabilities, harness, message_shape, retry, settlement};
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
