//! A service on the broker, as its users write and test it: everything comes from the prelude.

use futures_util::StreamExt;
use ruststream::testing::{InProcess, TestApp};
use ruststream::{ConnectedBroker, Subscribe, Subscriber};
use serde::{Deserialize, Serialize};
use toy_broker::prelude::*;
use toy_broker::{ConnectedToy, ToyPublish, ToyServer};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Outgoing)]
struct Order {
    number: u32,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Outgoing)]
struct Receipt {
    number: u32,
}

#[subscriber(ToyQueue, reply("receipts"))]
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
    ToyBroker::new("127.0.0.1:1")
}

async fn a_server() -> ToyBroker {
    let server = ToyServer::bind("127.0.0.1:0").await.expect("a free port");
    let address = server.address().expect("bound").to_string();
    tokio::spawn(server.run());
    ToyBroker::new(address)
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

// TEST-66: with the same error.
#[tokio::test]
async fn what_is_no_address_is_refused_on_both_ways() {
    let broker = ToyBroker::new("orders.example");
    let live = broker.clone().connect().await.expect_err("no port");
    let in_process = broker.connect_in_process().await.expect_err("no port");
    assert!(matches!(&live, ToyError::Address(address) if address == "orders.example"));
    assert_eq!(live.to_string(), in_process.to_string());
}

// CORE-272
#[tokio::test]
async fn a_second_subscription_to_one_queue_is_refused_by_name() {
    let connected = a_server().await.connect().await.expect("connected");
    let _first = connected
        .subscribe("late orders")
        .await
        .expect("subscribed");
    let refused = connected
        .subscribe("late orders")
        .await
        .expect_err("read already");
    assert!(matches!(refused, ToyError::AlreadyRead(queue) if queue == "late orders"));
}

// CORE-285
#[tokio::test]
async fn connections_that_read_one_queue_share_it() {
    let broker = a_server().await;
    let (one, other) = (broker.clone().connect().await, broker.connect().await);
    let (one, other) = (one.expect("connected"), other.expect("connected"));
    let mut at_one = one.subscribe("orders").await.expect("subscribed");
    let mut at_other = other.subscribe("orders").await.expect("subscribed");

    for number in 1..=2 {
        let order = Order { number };
        one.publisher()
            .message(&order)
            .to("orders")
            .publish()
            .await
            .expect("published");
    }

    let wait = std::time::Duration::from_secs(5);
    let first = ruststream::conformance::helpers::next_message(&mut at_one, wait).await;
    let second = ruststream::conformance::helpers::next_message(&mut at_other, wait).await;
    assert_eq!(first.payload(), br#"{"number":1}"#);
    assert_eq!(second.payload(), br#"{"number":2}"#);
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
