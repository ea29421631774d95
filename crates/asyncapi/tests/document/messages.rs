use ruststream::MessageInfo;
use ruststream::asyncapi::build_spec;
use ruststream::memory::prelude::*;
use ruststream::runtime::HandlerMetadata;
use ruststream::schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::support::{depot, handled, keys, mounted};

/// A scan.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Scan {
    shelf: u8,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Parcel label")]
struct Label {
    id: u8,
}

#[derive(Serialize, Deserialize, JsonSchema, MessageInfo)]
struct Plain {
    id: u8,
}

#[derive(Deserialize)]
struct Opaque;

macro_rules! ignoring {
    ($($name:ident: $ty:ty;)+) => {$(
        struct $name;

        impl Handle<$ty> for $name {
            async fn handle(
                &self,
                _message: &$ty,
                _outs: &(),
                _ctx: &mut Context<'_>,
            ) -> Result<(), HandlerOutcome> {
                Ok(())
            }
        }
    )+};
}

ignoring! {
    OnScan: Scan;
    OnLabel: Label;
    OnScans: Vec<Scan>;
}

/// Looks at a plain one.
#[subscriber("plains")]
async fn plain(_plain: &Plain) {}

/// Reads what it does not know.
#[subscriber("opaque")]
async fn opaque(_opaque: &Opaque) {}

fn message<'d>(document: &'d Value, name: &str) -> &'d Value {
    &document["components"]["messages"][name]
}

// API-29, API-30, API-32
#[test]
fn a_value_form_is_called_and_described_by_its_schema() {
    let document = mounted(|b| {
        b.include(subscriber("scans", OnScan).describe("Unheard").build());
        b.include(subscriber("labels", OnLabel).describe("Prints").build());
    });
    assert_eq!(message(&document, "Scan")["description"], "A scan.");
    assert!(message(&document, "Scan").get("title").is_none());
    // API-62: the component's key is legal, the name stays.
    assert_eq!(message(&document, "Parcel_label")["name"], "Parcel label");
    assert_eq!(message(&document, "Parcel_label")["description"], "Prints");
}

// API-29
#[test]
fn a_message_without_a_name_is_called_by_its_type() {
    let document = mounted(|b| {
        b.include(subscriber("lists", OnScans).undocumented().build());
        b.include(opaque);
    });
    assert_eq!(
        keys(&document["components"]["messages"]),
        ["Opaque", "Vec_Scan"]
    );
}

// API-30, API-32, trap 10
#[test]
fn a_handler_describes_the_message_that_nobody_else_does() {
    let document = mounted(|b| {
        b.include(plain);
        b.include(opaque);
    });
    assert_eq!(
        message(&document, "Plain")["description"],
        "Looks at a plain one."
    );
    assert_eq!(
        message(&document, "Opaque")["description"],
        "Reads what it does not know."
    );
}

// API-36
#[test]
fn a_type_without_a_schema_mounts_in_the_attribute_form_and_has_no_payload() {
    let document = mounted(|b| {
        b.include(plain);
        b.include(opaque);
    });
    assert_eq!(message(&document, "Plain")["payload"]["type"], "object");
    assert_eq!(
        message(&document, "Opaque"),
        &json!({
            "name": "Opaque",
            "description": "Reads what it does not know.",
            "contentType": "application/json",
        })
    );
}

// API-07, API-29, API-39
#[test]
fn a_raw_handler_takes_bytes_which_are_no_gap() {
    let app = depot().with_broker(MemoryBroker::new(), |b| {
        handled(
            b,
            HandlerMetadata::raw("raw").with_description("Counts bytes."),
        );
        handled(b, HandlerMetadata::raw("named").with_message_name("Frame"));
        handled(b, HandlerMetadata::typed::<Scan>("typed"));
    });
    let spec = build_spec(&app);
    assert_eq!(
        spec.components.messages.keys().collect::<Vec<_>>(),
        ["Frame", "Scan", "bytes"]
    );
    assert_eq!(
        spec.operations["receive_raw"].description.as_deref(),
        Some("Counts bytes.")
    );
    assert_eq!(spec.messages_without_schema(), ["Scan"]);
}

// API-10, API-31, API-33, API-39
#[test]
fn what_the_first_leaves_open_the_next_fills_in_and_no_more() {
    let scan = |name: &'static str| HandlerMetadata::typed::<Scan>(name).with_message_name("Scan");
    let app = depot().with_broker(MemoryBroker::new(), |b| {
        handled(
            b,
            scan("one")
                .with_payload_schema("{ not json")
                .with_headers_schema("7"),
        );
        handled(
            b,
            scan("two")
                .with_payload_schema(r#"{"title":"A scan","type":"object"}"#)
                .with_message_description("First"),
        );
        handled(
            b,
            scan("three")
                .with_payload_schema(r#"{"title":"Another","type":"object"}"#)
                .with_headers_schema(r#"{"type":"object"}"#)
                .with_message_description("Second"),
        );
    });
    let spec = build_spec(&app);
    let written = serde_json::to_value(&spec.components.messages["Scan"]).expect("serializes");
    assert_eq!(
        written,
        json!({
            "name": "Scan",
            "title": "A scan",
            "description": "First",
            "payload": { "title": "A scan", "type": "object" },
            "headers": { "type": "object" },
        })
    );
    assert!(spec.messages_without_schema().is_empty());
}

// API-05
#[test]
fn a_document_is_data_that_a_tool_completes() {
    let app = depot().with_broker(MemoryBroker::new(), |b| {
        b.include(opaque);
    });
    let mut spec = build_spec(&app);
    let message = spec
        .components
        .messages
        .get_mut("Opaque")
        .expect("is there");
    message.payload = Some(json!({ "$ref": "#/definitions/It", "definitions": { "It": true } }));
    let text = spec.to_json().expect("serializes");
    assert!(
        text.contains("#/components/messages/Opaque/payload/definitions/It"),
        "{text}"
    );
    assert!(!text.contains("schemaless"), "{text}");
}
