//! The suites of the contract, against servers (NATS-T61).

use std::time::Duration;

use async_nats::jetstream;
use ruststream::conformance::in_process::Refusal;
use ruststream::conformance::settlement::Delay;
use ruststream::conformance::{
    capabilities, harness, in_process, lifecycle, message_shape, retry, settlement,
};
use ruststream::testing::Backlog;
use ruststream::{HeaderMap, IncomingMessage, Name};
use ruststream_nats::{
    ConnectedNatsBroker, CoreSubject, CoreWildcard, JetStreamOptions, JetStreamPublish,
    JetStreamSubject, NatsBroker, NatsMessage, NatsPublish, NatsPublisher, NonZeroDuration,
    PARTITION_KEY_HEADER,
};

use crate::support::{Server, on_every_server, raw};

const ACK_WAIT: Duration = Duration::from_secs(2);

/// The stream of all suites; it takes subjects of any depth under `conformance`.
async fn stored(server: &Server) {
    let context = jetstream::new(raw(server).await);
    let config = jetstream::stream::Config {
        name: "CONFORMANCE".to_owned(),
        subjects: vec!["conformance.>".to_owned()],
        ..jetstream::stream::Config::default()
    };
    context.create_stream(config).await.expect("created");
}

fn durable(subject: &str) -> JetStreamSubject {
    // A consumer for each subject: the suites share a stream, and a consumer has one filter.
    JetStreamSubject::new(subject, "CONFORMANCE")
        .durable(subject.replace('.', "-"))
        .ack_wait(NonZeroDuration::new(ACK_WAIT).expect("not zero"))
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

/// Makes brokers of one server.
fn broker(server: &Server) -> impl Fn() -> NatsBroker + Clone + Send + Sync + 'static {
    let url = server.url();
    move || NatsBroker::new(url.clone())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_lifecycle_of_a_core_subject() {
    on_every_server(async |server| {
        harness::lifecycle(broker(&server), core, publisher).await;
        harness::lifecycle(broker(&server), name, publisher).await;
        let pattern = |name: &str| CoreWildcard::new(name);
        Box::pin(harness::lifecycle(broker(&server), pattern, publisher)).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_lifecycle_of_a_durable() {
    on_every_server(async |server| {
        stored(&server).await;
        harness::lifecycle(broker(&server), durable, publisher).await;
    })
    .await;
}

#[tokio::test]
async fn the_redelivery_addresses() {
    on_every_server(async |server| {
        retry::redelivery_address(broker(&server), core, publisher).await;
        retry::redelivery_address(broker(&server), name, publisher).await;
        stored(&server).await;
        retry::redelivery_address(broker(&server), durable, publisher).await;
        let pattern = |subject: &str| {
            JetStreamSubject::new(subject, "CONFORMANCE")
                .durable("pattern")
                .filter_subject("conformance.redelivery.*")
                .deliver_policy(ruststream_nats::DeliverPolicy::New)
        };
        retry::redelivery_address(broker(&server), pattern, publisher).await;
    })
    .await;
}

// CONF-46
#[tokio::test]
async fn settlements_answer_as_in_process() {
    on_every_server(async |server| {
        let core_brokers = broker(&server);
        settlement::matches_in_process(core_brokers, core, publisher, Duration::ZERO).await;
        stored(&server).await;
        settlement::matches_in_process(broker(&server), durable, publisher, ACK_WAIT).await;
    })
    .await;
}

// NATS-23, CORE-016
#[tokio::test]
async fn a_shutdown_flushes() {
    on_every_server(async |server| {
        lifecycle::shutdown_flushes(broker(&server), core, publisher, Backlog::Missed).await;
        stored(&server).await;
        lifecycle::shutdown_flushes(broker(&server), durable, publisher, Backlog::Delivered).await;
    })
    .await;
}

#[tokio::test]
async fn the_backlog_is_the_servers() {
    on_every_server(async |server| {
        in_process::backlog_matches_server(broker(&server), publisher).await;
    })
    .await;
}

#[tokio::test]
async fn what_is_refused_is_what_the_server_refuses() {
    on_every_server(async |server| {
        let refusals = [
            Refusal::PayloadOver {
                name: ruststream::conformance::helpers::unique_subject("conformance.large"),
                limit: 1024 * 1024,
            },
            Refusal::Publish {
                name: "conformance.a b".to_owned(),
            },
            Refusal::Subscription {
                source: CoreWildcard::new("conformance.a..b"),
            },
            Refusal::Subscription {
                source: CoreWildcard::new("conformance.a.>.b"),
            },
            Refusal::Subscription {
                source: CoreWildcard::new("conformance.a").queue_group(""),
            },
        ];
        in_process::refuses_like_the_server(broker(&server), publisher, refusals).await;
    })
    .await;
}

#[tokio::test]
async fn batches_of_both_models() {
    on_every_server(async |server| {
        capabilities::batches(broker(&server), core, publisher).await;
        stored(&server).await;
        let quick = NonZeroDuration::new(Duration::from_millis(300)).expect("not zero");
        let batches = |subject: &str| durable(subject).pull_expires(quick);
        capabilities::batches(broker(&server), batches, publisher).await;
    })
    .await;
}

#[tokio::test]
async fn requests() {
    on_every_server(async |server| {
        capabilities::request_reply(broker(&server), core, publisher, publisher).await;
    })
    .await;
}

fn keyed(key: &[u8], headers: &mut HeaderMap) -> Option<()> {
    headers.insert(PARTITION_KEY_HEADER, key.to_vec());
    None
}

// CORE-088, CORE-114
#[tokio::test]
async fn every_payload() {
    on_every_server(async |server| {
        message_shape::payloads(broker(&server), core, publisher).await;
        stored(&server).await;
        message_shape::payloads(broker(&server), durable, publisher).await;
    })
    .await;
}

// CORE-114
#[tokio::test]
async fn publishes_at_once() {
    on_every_server(async |server| {
        message_shape::concurrent_publishes(broker(&server), core, publisher).await;
        stored(&server).await;
        message_shape::concurrent_publishes(broker(&server), durable, publisher).await;
    })
    .await;
}

// CORE-031, CORE-140
#[tokio::test]
async fn streams_and_batches_lose_nothing() {
    on_every_server(async |server| {
        lifecycle::stream_reopens(broker(&server), core, publisher).await;
        capabilities::batches_are_whole(broker(&server), core, publisher).await;
        stored(&server).await;
        lifecycle::stream_reopens(broker(&server), durable, publisher).await;
        capabilities::batches_are_whole(broker(&server), durable, publisher).await;
    })
    .await;
}

// CORE-062, CORE-068 to CORE-069: also where a pattern names no address of its own
#[tokio::test]
async fn requeues_are_whole() {
    on_every_server(async |server| {
        let (brokers, none) = (broker(&server), Duration::ZERO);
        settlement::requeue_is_whole(brokers, core, publisher, none, keyed).await;
        stored(&server).await;
        settlement::requeue_is_whole(broker(&server), durable, publisher, ACK_WAIT, keyed).await;
        let matching = |subject: &str| {
            JetStreamSubject::new(subject, "CONFORMANCE")
                .durable("whole")
                .filter_subject("conformance.settlement.whole.*")
                .deliver_policy(ruststream_nats::DeliverPolicy::New)
        };
        let suite =
            settlement::requeue_is_whole(broker(&server), matching, publisher, ACK_WAIT, keyed);
        Box::pin(suite).await;
    })
    .await;
}

// CORE-062: the delay is longer than the ack wait
#[tokio::test]
async fn delays_are_whole() {
    on_every_server(async |server| {
        stored(&server).await;
        let delay = ACK_WAIT * 2;
        let by = Delay::Redelivered;
        settlement::delay_is_whole(broker(&server), durable, publisher, delay, by).await;
    })
    .await;
}

// CORE-066
#[tokio::test]
async fn what_is_not_settled_at_a_shutdown_returns() {
    on_every_server(async |server| {
        stored(&server).await;
        lifecycle::unsettled_returns(broker(&server), durable, publisher, ACK_WAIT).await;
    })
    .await;
}

// CORE-020
#[tokio::test]
async fn settlements_after_a_shutdown() {
    on_every_server(async |server| {
        lifecycle::late_settlements(broker(&server), core, publisher, Duration::ZERO).await;
        stored(&server).await;
        lifecycle::late_settlements(broker(&server), durable, publisher, ACK_WAIT).await;
    })
    .await;
}

// CORE-010
#[tokio::test]
async fn a_shutdown_ends_no_other_connection() {
    on_every_server(async |server| {
        lifecycle::others_stay_open(broker(&server), core, publisher).await;
        stored(&server).await;
        lifecycle::others_stay_open(broker(&server), durable, publisher).await;
    })
    .await;
}

// CORE-066, CORE-284
#[tokio::test]
async fn subscriptions_that_were_dropped() {
    on_every_server(async |server| {
        let grouped = |subject: &str| core(subject).queue_group("workers");
        let none = Duration::ZERO;
        lifecycle::dropped_subscription(broker(&server), core, publisher, none).await;
        lifecycle::dropped_subscription(broker(&server), grouped, publisher, none).await;
        stored(&server).await;
        lifecycle::dropped_subscription(broker(&server), durable, publisher, ACK_WAIT).await;
    })
    .await;
}

// CORE-230, CORE-291: also where nobody answers
#[tokio::test]
async fn nothing_shows_credentials() {
    on_every_server(async |server| {
        let url = server.url();
        let telling = || NatsBroker::new(url.replace("nats://", "nats://desk:s3cret@"));
        message_shape::shows_without_credentials(telling, core, publisher, "s3cret").await;
    })
    .await;
    let nowhere = || NatsBroker::new("nats://desk:s3cret@127.0.0.1:1");
    message_shape::shows_without_credentials(nowhere, core, publisher, "s3cret").await;
}

// CORE-160, CORE-162
#[tokio::test]
async fn replies_are_whole() {
    on_every_server(async |server| {
        capabilities::replies_are_whole(broker(&server), core, publisher, publisher).await;
    })
    .await;
}

#[tokio::test]
async fn keys_keep_their_order() {
    on_every_server(async |server| {
        message_shape::keyed_order(broker(&server), "keys", core, publisher, keyed).await;
        stored(&server).await;
        let subject = "conformance.keys";
        message_shape::keyed_order(broker(&server), subject, durable, publisher, keyed).await;
    })
    .await;
}

// NATS-108, CORE-115, CORE-117
#[tokio::test]
async fn publish_options() {
    on_every_server(async |server| {
        stored(&server).await;
        let with_id = |id: &str| JetStreamOptions {
            message_id: Some(id.to_owned()),
            ..JetStreamOptions::default()
        };
        let stream = Some("CONFORMANCE".to_owned());
        let cases = message_shape::OptionCases::new((stream.clone(), None))
            .overrides(with_id("a-1"), (stream.clone(), Some("a-1".to_owned())))
            .overrides(with_id("a-2"), (stream, Some("a-2".to_owned())))
            .refuses(with_id("a\r\nb"))
            .refuses(JetStreamOptions {
                expect_last_sequence: Some(u64::MAX),
                ..JetStreamOptions::default()
            });
        let policy = JetStreamPublish::default().expect_stream("CONFORMANCE");
        let subject = "conformance.options";
        let suite = message_shape::publish_options(
            broker(&server),
            subject,
            durable,
            policy,
            cases,
            observed,
        );
        Box::pin(suite).await;
    })
    .await;
}

/// What a delivery shows of the options it was published with.
fn observed(message: &NatsMessage) -> (Option<String>, Option<String>) {
    let header = |name| message.headers().get_str(name).map(str::to_owned);
    (header("nats-expected-stream"), header("nats-msg-id"))
}
