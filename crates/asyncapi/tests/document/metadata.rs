//! Registrations that are described by hand.

use ruststream::asyncapi::{Spec, build_spec};
use ruststream::memory::prelude::*;
use ruststream::runtime::{
    HandlerMetadata, HeaderDiscriminator, IncomingMessageMetadata, OutgoingKind,
    OutgoingMessageMetadata,
};
use serde_json::{Value, json};

use crate::support::{depot, handled};

/// The document of one registration, as it is held and as it is written.
fn described(metadata: HandlerMetadata) -> (Spec, Value) {
    let app = depot().with_broker(MemoryBroker::new(), |b| handled(b, metadata));
    let spec = build_spec(&app);
    let written = serde_json::to_value(&spec).expect("serializes");
    (spec, written)
}

fn message<'d>(document: &'d Value, name: &str) -> &'d Value {
    &document["components"]["messages"][name]
}

fn scan() -> HandlerMetadata {
    HandlerMetadata::typed::<u64>("scans")
        .with_message_name("Scan")
        .with_payload_schema(r#"{"type":"integer"}"#)
}

fn copy_to(channel: &'static str, kind: OutgoingKind) -> OutgoingMessageMetadata {
    OutgoingMessageMetadata::new(channel, "u64")
        .with_message_name(Some("Scan"))
        .with_kind(kind)
}

// API-08
#[test]
fn the_kind_of_an_outgoing_message_says_in_which_role_it_leaves() {
    let mut metadata = scan();
    metadata.outgoing = vec![
        OutgoingMessageMetadata::new("labels", "depot::Label"),
        OutgoingMessageMetadata::new("receipts", "depot::Receipt")
            .with_kind(OutgoingKind::Answer)
            .with_serialized(true),
        copy_to("scans.dead", OutgoingKind::DeadLetter),
        copy_to("scans.later", OutgoingKind::RetryCopy),
    ];

    let (spec, document) = described(metadata);

    assert_eq!(
        spec.operations.keys().collect::<Vec<_>>(),
        [
            "receive_scans",
            "send_scans_labels",
            "send_scans_scans_dead",
            "send_scans_scans_later",
        ]
    );
    assert_eq!(
        document["operations"]["receive_scans"]["reply"],
        json!({
            "channel": { "$ref": "#/channels/receipts" },
            "messages": [{ "$ref": "#/channels/receipts/messages/Receipt" }],
        })
    );
    assert_eq!(
        document["operations"]["receive_scans"]["x-ruststream-retry"],
        json!({ "retryDestination": "scans.later" })
    );
    // A reply that makes its own bytes is no gap, and copies are the input.
    assert_eq!(spec.messages_without_schema(), ["Label"]);
}

// API-08
#[test]
fn an_outgoing_message_says_everything_that_a_macro_would() {
    let mut metadata = scan();
    metadata.outgoing = vec![
        OutgoingMessageMetadata::new("labels.{site}", "depot::Label")
            .with_parameters(&["site"])
            .with_message_name(Some("Parcel label"))
            .with_message_description(Some("What is printed."))
            .with_payload_schema(Some(r#"{"type":"string"}"#.to_owned()))
            .with_headers_schema(Some(r#"{"type":"object"}"#.to_owned()))
            .with_content_type(Some("application/cbor"))
            .with_discriminator(HeaderDiscriminator::new("kind", "label")),
    ];

    let (_, document) = described(metadata);

    let channel = &document["channels"]["labels.{site}"];
    assert_eq!(channel["parameters"], json!({ "site": {} }));
    assert_eq!(
        message(&document, "Parcel_label"),
        &json!({
            "name": "Parcel label",
            "description": "What is printed.",
            "contentType": "application/cbor",
            "payload": { "type": "string" },
            "headers": {
                "type": "object",
                "properties": { "kind": { "const": "label" } },
                "required": ["kind"],
            },
        })
    );
}

// API-09
#[test]
fn incoming_models_take_the_place_of_the_input() {
    let mut metadata = HandlerMetadata::typed::<u64>("events").with_description("Follows events.");
    metadata.incoming = vec![
        IncomingMessageMetadata::new("depot::Opened")
            .with_message_name(Some("Door opened"))
            .with_message_description(Some("Somebody came."))
            .with_payload_schema(Some(r#"{"type":"string"}"#.to_owned()))
            .with_headers_schema(Some(r#"{"type":"object"}"#.to_owned()))
            .with_discriminator(HeaderDiscriminator::new("kind", "opened")),
        IncomingMessageMetadata::new("depot::Frame").with_deserialized(true),
        IncomingMessageMetadata::new("depot::Closed"),
    ];
    metadata.incoming[0].content_type = Some("application/json");

    let (spec, document) = described(metadata);

    let events = "#/channels/events/messages";
    assert_eq!(
        document["operations"]["receive_events"]["messages"],
        json!([
            { "$ref": format!("{events}/Door opened") },
            { "$ref": format!("{events}/Frame") },
            { "$ref": format!("{events}/Closed") },
        ])
    );
    assert_eq!(
        message(&document, "Door_opened"),
        &json!({
            "name": "Door opened",
            "description": "Somebody came.",
            "contentType": "application/json",
            "payload": { "type": "string" },
            "headers": {
                "type": "object",
                "properties": { "kind": { "const": "opened" } },
                "required": ["kind"],
            },
        })
    );
    assert_eq!(
        message(&document, "Frame"),
        &json!({ "name": "Frame", "description": "Follows events." })
    );
    assert_eq!(spec.messages_without_schema(), ["Closed"]);
}
