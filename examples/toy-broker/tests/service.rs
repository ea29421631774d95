//! A service on the broker, as its users write and test it: everything comes from the prelude.

use std::time::Duration;

use futures_util::StreamExt;
use ruststream::conformance::helpers::next_message;
use ruststream::testing::{InProcess, TestApp};
use ruststream::{ConnectedBroker, Subscribe, Subscriber};
use serde::{Deserialize, Serialize};
use toy_broker::prelude::*;
use toy_broker::{ConnectedToy, ToyPublish, server};

mod topic;
use topic::ToyTopic;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Outgoing)]
struct Order {
    number: u32,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Outgoing)]
struct Receipt {
    number: u32,
}

#[subscriber(ToyTopic, reply("receipts"))]
async fn confirm(order: &Order) -> Receipt {
    Receipt {
        number: order.number,
    }
}

#[subscriber("receipts")]
async fn file(_receipts: &[Receipt]) {}

fn shop(broker: ToyBroker) -> RustStream {
    RustStream::new(AppInfo::new("shop", "1.0.0")).with_broker(broker, |b| {
        b.include(confirm.name("orders"));
        b.include(file.batch(nonzero!(8)));
    })
}

async fn confirms_and_files(app: TestApp<()>) {
    let order = Order { number: 7 };
    let broker = app.broker::<ToyBroker>();
    broker.publish("orders", &order).await.expect("published");

    let orders = broker.subscriber("orders").assert_called_once();
    orders.with(&order).settled(HandlerOutcome::ack());
    let receipts = broker.published::<Receipt>("receipts");
    receipts.assert_called_once().with(&Receipt { number: 7 });
    broker.subscriber("receipts").assert_batch_sizes(&[1]);
    app.shutdown().await.expect("shut down");
}

/// An address that `connect` would fail on; in process nobody dials it.
fn nowhere() -> ToyBroker {
    ToyBroker::new(([127, 0, 0, 1], 1).into())
}

async fn a_server() -> ToyBroker {
    ToyBroker::new(server::listen("127.0.0.1:0").await.expect("a free port"))
}

// CONF-45: one body, both ways.
#[tokio::test]
async fn a_service_does_the_same_in_process() {
    confirms_and_files(TestApp::start(shop(nowhere())).await.expect("started")).await;
}

#[tokio::test]
async fn a_service_does_the_same_on_the_server() {
    let app = TestApp::start_live(shop(a_server().await));
    confirms_and_files(app.await.expect("started")).await;
}

// CORE-012
#[tokio::test]
async fn an_unreachable_server_is_named() {
    let refused = nowhere().connect().await.expect_err("nobody listens");
    let told = refused.to_string();
    assert!(
        told.contains("no toy server answers at `127.0.0.1:1`"),
        "{told}"
    );
}

// CORE-272: what the server says of it is kept.
#[tokio::test]
async fn a_topic_with_a_wildcard_is_refused() {
    let connected = a_server().await.connect().await.expect("connected");
    let refused = connected.subscribe("orders.*").await.expect_err("wildcard");
    assert!(matches!(&refused, ToyError::Refused(reason) if reason.contains("`orders.*`")));
}

// MEM-14: topics fan out, on one connection and on several.
#[tokio::test]
async fn each_reader_of_a_topic_has_a_copy() {
    let broker = a_server().await;
    let (one, other) = (broker.clone().connect().await, broker.connect().await);
    let (one, other) = (one.expect("connected"), other.expect("connected"));
    let mut readers = [
        one.subscribe("late orders").await.expect("subscribed"),
        one.subscribe("late orders").await.expect("subscribed"),
        other.subscribe("late orders").await.expect("subscribed"),
    ];

    let order = Order { number: 7 };
    let publish = one.publisher();
    publish
        .message(&order)
        .to("late orders")
        .publish()
        .await
        .expect("published");

    for reader in &mut readers {
        let order = next_message(reader, Duration::from_secs(5)).await;
        assert_eq!(order.payload(), br#"{"number":7}"#);
        order.ack().await.expect("settled");
    }
}

// CORE-287: the one gap of the in-process mode.
#[tokio::test]
async fn brokers_with_one_address_meet_on_the_server_only() {
    async fn reached(here: ConnectedToy, there: ConnectedToy) -> bool {
        let mut orders = there.subscribe("orders").await.expect("subscribed");
        let publisher = here.publisher();
        publisher
            .message(&Order { number: 7 })
            .to("orders")
            .publish()
            .await
            .expect("published");
        // Everything that reached the other queue before this answer has been handed out.
        there.shutdown().await.expect("shut down");
        orders.stream().next().await.is_some()
    }

    let broker = a_server().await;
    let connected = broker.clone().connect().await.expect("connected");
    assert!(reached(connected, broker.connect().await.expect("connected")).await);

    let connected = nowhere().connect_in_process().await.expect("connected");
    assert!(
        !reached(
            connected,
            nowhere().connect_in_process().await.expect("connected")
        )
        .await
    );
}

// CORE-277: the glob leaves the core's names what they are.
#[test]
fn the_prelude_adds_and_hides_nothing() {
    fn takes_the_core_trait<T: Publisher>() {}
    takes_the_core_trait::<toy_broker::ToyPublisher>();
    let ToyPublish = Publish;
}
