use ruststream::memory::prelude::*;
use ruststream::runtime::Message;
use ruststream::schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::support::{all_resolve, mounted};

#[derive(Serialize, Deserialize, JsonSchema)]
struct Trace {
    tenant: String,
}

#[derive(Serialize, Deserialize, JsonSchema, Outgoing)]
#[outgoing(name = "labels", headers = Trace)]
struct Label {
    id: u8,
}

#[derive(Serialize, Deserialize, JsonSchema, MessageInfo)]
#[message(headers(Trace))]
struct Scan {
    id: u8,
}

#[derive(OutSlot)]
#[publishes(Label)]
struct Labels;

#[subscriber("numbers")]
async fn parameter(_n: &u64, Headers(_trace): Headers<Trace>) {}

#[subscriber("numbers")]
async fn pair(_message: &Message<Trace, u64>) {}

#[subscriber("numbers")]
async fn pairs(_messages: &[Message<Trace, u64>]) {}

#[subscriber("scans")]
async fn contract(_scan: &Scan) {}

#[subscriber("numbers")]
async fn sends(_n: &u64, Out(_labels): Out<impl Publisher, Labels>) {}

#[subscriber("numbers", reply)]
async fn replies(_n: &u64) -> Label {
    Label { id: 1 }
}

#[subscriber("numbers", reply("pairs"))]
async fn replies_with_headers(_n: &u64) -> Message<Trace, Quote> {
    Message::new(
        Trace {
            tenant: String::new(),
        },
        Quote { id: 1 },
    )
}

#[derive(Serialize, Deserialize, JsonSchema, Outgoing)]
struct Quote {
    id: u8,
}

fn headers(document: &Value, message: &str) -> Value {
    document["components"]["messages"][message]["headers"].clone()
}

fn trace() -> Value {
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Trace",
        "type": "object",
        "properties": { "tenant": { "type": "string" } },
        "required": ["tenant"],
    })
}

// API-48
#[test]
fn what_a_handler_reads_of_headers_is_the_messages_contract() {
    for document in [
        mounted(|b| {
            b.include(parameter);
        }),
        mounted(|b| {
            b.include(pair);
        }),
        mounted(|b| {
            b.include(pairs.batch(nonzero!(4)));
        }),
    ] {
        assert_eq!(headers(&document, "uint64"), trace(), "{document:#}");
        all_resolve(&document);
    }
}

// API-48
#[test]
fn what_a_type_declares_of_headers_is_its_contract() {
    let document = mounted(|b| {
        b.include(contract);
        b.include(sends).out(Labels, Publish).build();
    });
    assert_eq!(headers(&document, "Scan"), trace());
    assert_eq!(headers(&document, "Label"), trace());
    assert_eq!(headers(&document, "uint64"), Value::Null);
}

// API-48
#[test]
fn a_reply_declares_its_headers_by_its_type_or_beside_it() {
    let document = mounted(|b| {
        b.include(replies);
        b.include(replies_with_headers);
    });
    assert_eq!(headers(&document, "Label"), trace());
    assert_eq!(headers(&document, "Quote"), trace());
}
