//! What has no bound in process, far beyond what a broker over a network takes; the guide's page on limits names
//! these tests.

use std::time::Duration;

use bytes::Bytes;
use ruststream_core::{
    Broker, HeaderMap, IncomingMessage, OutgoingMessage, Publisher, RequestReply,
    TransactionalPublisher,
};
use ruststream_memory::MemoryBroker;

use crate::support::{ack, at_once, bodies, connect, next, publish, subscribe, take};

// MEM-18
#[test]
fn a_payload_may_be_empty_or_of_any_length() {
    let broker = MemoryBroker::new();
    let mut parcels = broker.subscribe("parcels");
    for length in [0, 1, 64 * 1024 * 1024] {
        let payload = vec![7; length];
        let message = OutgoingMessage::new("parcels", &payload);
        at_once(broker.publisher().publish(message, None)).expect("publishes");

        let parcel = take(&mut parcels);
        assert!(parcel.payload() == payload, "{length} bytes");
        ack(parcel);
    }
}

// MEM-18
#[test]
fn there_may_be_any_number_of_headers_of_any_length() {
    let broker = MemoryBroker::new();
    let mut parcels = broker.subscribe("parcels");
    let mut headers: HeaderMap = (0..2_000)
        .map(|number| (format!("header-{number}"), number.to_string()))
        .collect();
    headers.insert("long", vec![b'x'; 4 * 1024 * 1024]);
    headers.insert("n".repeat(64 * 1024), "a long name");
    let message = OutgoingMessage::new("parcels", b"").with_headers(headers.clone());
    at_once(broker.publisher().publish(message, None)).expect("publishes");

    let parcel = take(&mut parcels);
    assert_eq!(parcel.headers().len(), 2_002);
    assert!(parcel.headers() == &headers);
    ack(parcel);
}

// MEM-14, MEM-22
#[test]
fn a_name_may_be_empty_long_or_of_any_text() {
    let broker = MemoryBroker::new();
    let connected = connect(&broker);
    for name in ["", " ", ".", "a..b", "п/ä?#", &"x".repeat(64 * 1024)] {
        let mut parcels = subscribe(&connected, name);
        publish(&broker.publisher(), name, "7");
        assert_eq!(bodies(&mut parcels), ["7"], "{} bytes", name.len());
    }
}

// MEM-14
#[test]
fn there_may_be_any_number_of_subscriptions() {
    let broker = MemoryBroker::new();
    let mut all: Vec<_> = (0..5_000).map(|_| broker.subscribe("parcels")).collect();
    let mut others: Vec<_> = (0..5_000)
        .map(|number| broker.subscribe(format!("parcels.{number}")))
        .collect();
    publish(&broker.publisher(), "parcels", "7");
    publish(&broker.publisher(), "parcels.4999", "8");

    assert!(all.iter_mut().all(|parcels| bodies(parcels) == ["7"]));
    let last = others.pop();
    assert!(last.is_some_and(|mut parcels| bodies(&mut parcels) == ["8"]));
    assert!(others.iter_mut().all(|parcels| next(parcels).is_none()));
}

// PUB-700, MEM-71
#[test]
fn a_transaction_may_hold_any_number_of_messages() {
    let broker = MemoryBroker::new();
    let publisher = broker.publisher();
    let mut parcels = broker.subscribe("parcels");
    at_once(publisher.begin_transaction()).expect("begins");
    for _ in 0..100_000 {
        publish(&publisher, "parcels", "7");
    }
    assert!(next(&mut parcels).is_none());

    at_once(publisher.commit()).expect("commits");

    assert_eq!(bodies(&mut parcels).len(), 100_000);
}

// PUB-720
#[tokio::test]
async fn a_request_may_wait_longer_than_time_itself() {
    let broker = MemoryBroker::new();
    let connected = broker.clone().connect().await.expect("connects");
    let mut questions = subscribe(&connected, "questions");
    let requester = connected.requester();
    let asking = tokio::spawn(async move {
        let question = OutgoingMessage::new("questions", b"?");
        requester.request(question, Duration::MAX).await
    });
    let question = loop {
        match next(&mut questions) {
            Some(question) => break question,
            None => tokio::task::yield_now().await,
        }
    };
    let inbox = question.headers().reply_to().expect("an inbox").to_owned();
    ack(question);
    publish(&connected.publisher(), &inbox, "!");

    let answer = asking.await.expect("no panic").expect("an answer");
    assert_eq!(Bytes::copy_from_slice(answer.payload()), "!");
}
