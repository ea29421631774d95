use ruststream::codec::{CborCodec, JsonCodec};
use ruststream::memory::prelude::*;
use ruststream::runtime::Declared;
use ruststream::schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::support::{depot, mounted, written};

const JSON: &str = "application/json";
const CBOR: &str = "application/cbor";

#[derive(Serialize, Deserialize, JsonSchema, Outgoing)]
#[outgoing(name = "labels")]
struct Label {
    id: u8,
}

#[derive(Serialize, Deserialize, JsonSchema, Outgoing)]
struct Receipt {
    id: u8,
}

#[derive(Serialized, Outgoing)]
#[outgoing(name = "frames")]
struct Frame(Vec<u8>);

#[derive(OutSlot)]
#[publishes(Label, Frame)]
struct Labels;

#[derive(Deserialized)]
struct Bytes<'a>(#[allow(dead_code)] &'a [u8]);

#[subscriber("numbers")]
async fn number(_n: &u64, Out(_labels): Out<impl Publisher, Labels>) {}

#[subscriber("numbers")]
async fn own_codec(_n: &u64) {}

#[subscriber("bytes")]
async fn bytes(_bytes: &Bytes<'_>) {}

#[subscriber("numbers", reply("receipts"))]
async fn receipt(id: &u64) -> Receipt {
    let _ = id;
    Receipt { id: 1 }
}

fn content_type(document: &Value, message: &str) -> Value {
    document["components"]["messages"][message]["contentType"].clone()
}

// API-51, API-52, CORE-214
#[test]
fn one_codec_everywhere_is_the_default_of_the_document() {
    let document = mounted(|b| {
        b.include(receipt);
    });
    assert_eq!(document["defaultContentType"], JSON);
    assert_eq!(content_type(&document, "Receipt"), JSON);
    assert_eq!(content_type(&document, "uint64"), JSON);
}

// API-51, API-52
#[test]
fn a_scopes_codec_reads_its_inputs_and_writes_its_slots() {
    let app = depot().with_broker_codec(MemoryBroker::new(), CborCodec, |b| {
        b.include(number)
            .out(Labels, Publish)
            .dead_letter("dead")
            .build();
    });
    let document = written(&app);
    assert_eq!(content_type(&document, "uint64"), CBOR);
    assert_eq!(content_type(&document, "Label"), CBOR);
    // API-51, trap 4: no codec touches it.
    assert_eq!(content_type(&document, "Frame"), Value::Null);
    assert!(document.get("defaultContentType").is_none());
}

// API-51, API-52, CORE-214, trap 4
#[test]
fn each_position_speaks_of_its_own_codec() {
    let document = mounted(|b| {
        b.include(number)
            .out(Labels, Publish)
            .codec(CborCodec)
            .build();
        b.include(receipt).out_reply(Publish).codec(CborCodec);
    });
    assert_eq!(content_type(&document, "uint64"), JSON);
    assert_eq!(content_type(&document, "Label"), CBOR);
    assert_eq!(content_type(&document, "Frame"), Value::Null);
    assert_eq!(content_type(&document, "Receipt"), CBOR);
    assert!(document.get("defaultContentType").is_none());
}

// API-51, API-33
#[test]
fn a_shared_message_keeps_the_first_content_type() {
    let app = depot()
        .with_broker_codec(MemoryBroker::new(), CborCodec, |b| {
            b.include(own_codec.declare().codec(JsonCodec));
        })
        .with_broker_codec(MemoryBroker::new(), CborCodec, |b| {
            b.include(own_codec);
        });
    assert_eq!(content_type(&written(&app), "uint64"), JSON);
}

// API-52, trap 6
#[test]
fn one_message_of_bytes_takes_the_default_away() {
    let document = mounted(|b| {
        b.include(receipt);
        b.include(bytes);
    });
    assert_eq!(content_type(&document, "Bytes"), Value::Null);
    assert!(document.get("defaultContentType").is_none());
}
