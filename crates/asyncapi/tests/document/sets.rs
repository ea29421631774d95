use ruststream::asyncapi::build_spec;
use ruststream::memory::prelude::*;
use ruststream::schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::support::{Heard, all_resolve, depot, keys, mounted, operations};

#[derive(Serialize, Deserialize, JsonSchema)]
struct Level {
    value: u8,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Trace {
    tenant: Level,
}

mod other {
    use super::{Deserialize, JsonSchema, Serialize};

    #[derive(Serialize, Deserialize, JsonSchema)]
    pub(super) struct Level(String);

    #[derive(Serialize, Deserialize, JsonSchema)]
    pub(super) struct Own {
        level: Level,
    }
}

/// A parcel came.
#[derive(Serialize, Deserialize, JsonSchema, MessageInfo)]
#[message(headers(other::Own))]
struct Came {
    id: u8,
}

#[derive(Serialize, Deserialize, JsonSchema, MessageInfo)]
struct Left {
    id: u8,
}

#[derive(Deserialized, MessageInfo)]
#[wire(decode = frame)]
struct Frame;

fn frame(payload: &[u8]) -> Result<Frame, std::fmt::Error> {
    payload.first().map(|_| Frame).ok_or(std::fmt::Error)
}

#[derive(InMessages)]
#[in_messages(header = "kind")]
#[allow(dead_code)]
enum Event {
    #[in_messages(value = "left")]
    Left(Left),
    #[in_messages(value = "came")]
    Came(Came),
    #[in_messages(value = "frame")]
    Frame(Frame),
}

#[derive(InMessages)]
#[in_messages(header = "kind")]
#[allow(dead_code)]
enum Others {
    #[in_messages(value = "gone")]
    Left(Left),
}

#[derive(InMessages)]
#[allow(dead_code)]
enum Tried {
    Came(Came),
    Left(Left),
}

#[subscriber("events")]
async fn on_event(_event: &Event) {}

#[subscriber("events")]
async fn on_events(_events: &[Event]) {}

#[subscriber("others")]
async fn on_others(_others: &Others) {}

#[subscriber("tried")]
async fn on_tried(_tried: &Tried) {}

#[subscriber("traced")]
async fn traced(_event: &Event, Headers(_trace): Headers<Trace>) {}

fn message<'d>(document: &'d Value, name: &str) -> &'d Value {
    &document["components"]["messages"][name]
}

fn listed(document: &Value, id: &str) -> Vec<String> {
    let messages = document["operations"][id]["messages"]
        .as_array()
        .expect("messages");
    messages
        .iter()
        .map(|message| message["$ref"].as_str().expect("a reference").to_owned())
        .collect()
}

// API-27, API-50
#[test]
fn a_set_lists_its_models_in_the_order_of_its_variants() {
    for document in [
        mounted(|b| {
            b.include(on_event);
        }),
        mounted(|b| {
            b.include(on_events.batch(nonzero!(3)));
        }),
    ] {
        assert_eq!(
            listed(&document, "receive_events"),
            [
                "#/channels/events/messages/Left",
                "#/channels/events/messages/Came",
                "#/channels/events/messages/Frame",
            ]
        );
        assert_eq!(
            message(&document, "Left")["contentType"],
            "application/json"
        );
        assert_eq!(message(&document, "Came")["description"], "A parcel came.");
        assert!(message(&document, "Left").get("payload").is_some());
        assert!(message(&document, "Frame").get("contentType").is_none());
        assert!(message(&document, "Frame").get("payload").is_none());
        all_resolve(&document);
    }
}

// API-39, API-50
#[test]
fn a_model_of_bytes_is_no_gap() {
    let app = depot().with_broker(MemoryBroker::new(), |b| {
        b.include(on_event);
    });
    assert!(build_spec(&app).messages_without_schema().is_empty());
}

// API-49
#[test]
fn the_header_rule_is_part_of_each_models_contract() {
    let document = mounted(|b| {
        b.include(on_event);
    });
    assert_eq!(
        message(&document, "Left")["headers"],
        json!({
            "type": "object",
            "properties": { "kind": { "const": "left" } },
            "required": ["kind"],
        })
    );
    let came = &message(&document, "Came")["headers"];
    assert_eq!(came["required"], json!(["level", "kind"]));
    assert_eq!(came["properties"]["kind"], json!({ "const": "came" }));
}

// API-49
#[test]
fn a_set_without_a_rule_adds_nothing_to_a_contract() {
    let document = mounted(|b| {
        b.include(on_tried);
    });
    assert!(message(&document, "Left").get("headers").is_none());
    assert_eq!(
        message(&document, "Came")["headers"]["required"],
        json!(["level"])
    );
}

// API-41, API-49, RUN-463
#[test]
fn headers_that_the_handler_reads_join_every_model() {
    let document = mounted(|b| {
        b.include(traced);
    });
    assert_eq!(
        message(&document, "Left")["headers"]["required"],
        json!(["tenant", "kind"])
    );
    let came = &message(&document, "Came")["headers"];
    assert_eq!(keys(&came["properties"]), ["kind", "level", "tenant"]);
    // Two types of one name: the handler's own one made way.
    assert_eq!(keys(&came["definitions"]), ["Level", "Level_2"]);
    assert_eq!(
        came["properties"]["tenant"]["$ref"],
        "#/components/messages/Came/headers/definitions/Level_2"
    );
    assert_eq!(came["definitions"]["Level_2"]["type"], "object");
    all_resolve(&document);
}

// API-45, API-50
#[test]
fn the_copies_of_a_set_are_its_models() {
    let heard = Heard::start();
    let document = mounted(|b| {
        b.include(on_event)
            .dead_letter("dead")
            .out_retry(Publish)
            .to("later");
    });
    assert_eq!(
        operations(&document),
        [
            "receive_events",
            "send_events_dead",
            "send_events_dead_2",
            "send_events_dead_3",
            "send_events_later",
            "send_events_later_2",
            "send_events_later_3",
        ]
    );
    assert_eq!(
        listed(&document, "send_events_dead_2"),
        ["#/channels/dead/messages/Came"]
    );
    assert_eq!(
        keys(&document["channels"]["later"]["messages"]),
        ["Came", "Frame", "Left"]
    );
    assert_eq!(
        keys(&document["components"]["messages"]),
        ["Came", "Frame", "Left"]
    );
    // API-33: copies under one contract are no conflict.
    assert_eq!(heard.lines(), [""; 0]);
}

// API-33, API-49
#[test]
fn a_model_of_two_sets_keeps_the_first_value() {
    let heard = Heard::start();
    let document = mounted(|b| {
        b.include(on_event);
        b.include(on_others);
    });
    let kind = &message(&document, "Left")["headers"]["properties"]["kind"];
    assert_eq!(kind, &json!({ "const": "left" }));
    let lines = heard.lines();
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(
        lines[0].starts_with("WARN ruststream::asyncapi context=\"others\""),
        "{lines:?}"
    );
}
