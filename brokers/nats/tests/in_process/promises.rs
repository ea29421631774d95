//! What types and names promise, and what holds in process as it does live.

use async_nats::ConnectOptions;
use ruststream::{
    BuildBatchContext, BuildContext, DescribeServer, HeaderMap, Publisher, Subscribe, Subscriber,
};
use ruststream_nats::context::{JetStreamBatchContext, JetStreamContext};
// NATS-03: these, and the modules `context` and `prelude`.
#[expect(unused_imports, reason = "that they can be imported is what is tested")]
use ruststream_nats::{
    ClosedNatsBroker, ConnectedNatsBroker, CoreMessage, CoreSourceSteps, CoreSubject, CoreWildcard,
    DeliverPolicy, JetStreamMessage, JetStreamOptions, JetStreamPolicySteps, JetStreamPublish,
    JetStreamPublishSteps, JetStreamPublisher, JetStreamSourceSteps, JetStreamSubject, NatsBroker,
    NatsError, NatsMessage, NatsPublish, NatsPublishPolicy, NatsPublisher, NatsSubscriber,
    NatsSubscription, NonZeroDuration, PARTITION_KEY_HEADER, PublishAck,
};

use crate::support::{connect, message, next, publish, text, waiting};

// NATS-10: no runtime is here
#[test]
fn a_broker_is_described_without_a_runtime_and_anything_is_taken() {
    for addrs in ["nats://nobody:4222", "", "http://nobody", "not an address"] {
        let broker = NatsBroker::new(addrs).with_options(ConnectOptions::new().name("desk"));

        assert_eq!(broker.addrs(), addrs);
        assert_eq!(broker.describe_server().protocol, "nats");
    }
}

// NATS-114
#[tokio::test]
async fn publishers_have_no_headers_of_their_own() {
    let broker = connect().await;

    assert!(broker.publisher(NatsPublish).base_headers().is_none());
    let stored = broker.publisher(JetStreamPublish::default());
    assert!(stored.base_headers().is_none());
}

type Delivery = <NatsSubscriber as Subscriber>::Message;

// NATS-172
const _: fn() = || {
    fn outlives_its_message<C: BuildContext<Delivery> + Send + 'static>() {}
    fn outlives_its_batch<C: BuildBatchContext<Delivery> + Send + 'static>() {}
    outlives_its_message::<JetStreamContext>();
    outlives_its_batch::<JetStreamBatchContext>();
};

// NATS-901
#[tokio::test]
async fn deliveries_are_of_the_types_of_production() {
    let broker = connect().await;
    let mut core = broker.subscribe("scans").await.expect("opened");
    let source = JetStreamSubject::new("ledger.*", "LEDGER").durable("book");
    let mut stored = broker.subscribe_with(source).await.expect("opened");
    publish(&broker, "scans", "1").await;
    publish(&broker, "ledger.a", "2").await;

    assert!(matches!(next(&mut core).await, NatsMessage::Core(_)));
    let from_the_stream = next(&mut stored).await;
    assert!(matches!(from_the_stream, NatsMessage::JetStream(_)));
}

// NATS-109, NATS-942
#[tokio::test]
async fn an_applications_header_named_as_the_protocols_means_nothing() {
    let broker = connect().await;
    let source = JetStreamSubject::new("ledger.*", "LEDGER").durable("book");
    let mut subscriber = broker.subscribe_with(source).await.expect("opened");
    let publisher = broker.publisher(JetStreamPublish::default());

    for number in ["1", "2"] {
        let headers: HeaderMap = [("nats-msg-id", "a-1"), ("nats-expected-stream", "OTHER")]
            .into_iter()
            .collect();
        let sent = message("ledger.a", number).with_headers(headers);
        let ack = publisher.publish_ack(sent, None).await.expect("stored");
        assert!(!ack.duplicate && ack.stream == "LEDGER");
    }

    for number in ["1", "2"] {
        let delivery = waiting(&mut subscriber).expect("delivered");
        assert_eq!(text(&delivery), number);
        let headers = ruststream::IncomingMessage::headers(&delivery);
        assert_eq!(headers.get_str("nats-msg-id"), Some("a-1"));
    }
}
