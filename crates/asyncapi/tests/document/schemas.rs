//! Schemas that are hard to write.

use std::collections::BTreeMap;

use ruststream::asyncapi::build_spec;
use ruststream::memory::prelude::*;
use ruststream::schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::support::{all_resolve, depot, mounted, written};

#[derive(Serialize, Deserialize, JsonSchema)]
struct Line {
    x: u8,
}

mod other {
    use super::{Deserialize, JsonSchema, Serialize};

    #[derive(Serialize, Deserialize, JsonSchema)]
    pub(super) struct Line {
        of: Option<super::Line>,
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Page<T> {
    items: Vec<T>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Tree {
    kids: Vec<Tree>,
    up: Option<Box<Tree>>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "a/b ~c% é")]
struct Odd {
    #[serde(rename = "$ref")]
    reference: String,
    #[serde(rename = "default")]
    nested: Option<Line>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind")]
enum Tagged {
    Inline { line: Line },
    Wrapped(other::Line),
    Empty,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Untagged {
    Number(u8),
    Line(Line),
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Flat {
    #[serde(flatten)]
    line: Line,
    #[serde(flatten)]
    tagged: Tagged,
    maybe: Option<Odd>,
    #[serde(default)]
    count: Option<u64>,
}

/// Everything at once.
#[derive(Serialize, Deserialize, JsonSchema, Outgoing)]
#[outgoing(name = "all/of~it.{part}")]
struct All {
    lines: Page<Line>,
    others: Page<other::Line>,
    odd: Page<Odd>,
    tagged: Tagged,
    untagged: Untagged,
    flat: Flat,
    tree: Tree,
    map: BTreeMap<String, Odd>,
    same: Tree,
}

#[derive(OutSlot)]
#[publishes(All)]
struct Everything;

#[subscriber("a/b ~c% é/{part}")]
async fn odd(_odd: &Odd, Out(_all): Out<impl Publisher, Everything>) {}

#[subscriber("trees")]
async fn tree(_tree: &Tree) {}

fn document() -> Value {
    mounted(|b| {
        b.include(odd)
            .out(Everything, Publish)
            .dead_letter("dead letters")
            .build();
        b.include(tree);
    })
}

// API-35, API-40, API-61
#[test]
fn every_reference_resolves_from_the_root() {
    let document = document();
    assert!(all_resolve(&document) > 25, "{document:#}");
    let payload = &document["components"]["messages"]["All"]["payload"];
    assert_eq!(
        payload["$schema"],
        "http://json-schema.org/draft-07/schema#"
    );
}

// API-40
#[test]
fn a_type_in_itself_refers_to_its_own_place() {
    let document = document();
    let payload = &document["components"]["messages"]["Tree"]["payload"];
    assert_eq!(
        payload["properties"]["kids"]["items"]["$ref"],
        "#/components/messages/Tree/payload"
    );
    let payload = &document["components"]["messages"]["All"]["payload"];
    assert_eq!(
        payload["definitions"]["Tree"]["properties"]["kids"]["items"]["$ref"],
        "#/components/messages/All/payload/definitions/Tree"
    );
}

// API-40
#[test]
fn two_types_of_one_name_stay_apart_inside_a_message() {
    let document = document();
    let payload = &document["components"]["messages"]["All"]["payload"];
    let referred = |page: &Value| {
        let page = page["$ref"].as_str().expect("a reference");
        let items = crate::support::resolved(&document, page).expect("resolves");
        let item = items["properties"]["items"]["items"]["$ref"]
            .as_str()
            .expect("a reference");
        crate::support::resolved(&document, item)
            .expect("resolves")
            .clone()
    };
    assert!(
        referred(&payload["properties"]["lines"])["properties"]
            .get("x")
            .is_some()
    );
    assert!(
        referred(&payload["properties"]["others"])["properties"]
            .get("of")
            .is_some()
    );
}

// API-29, API-40, API-62
#[test]
fn a_name_with_every_odd_character_is_written_under_a_legal_key() {
    let document = document();
    let message = &document["components"]["messages"]["a_b__c___"];
    assert_eq!(message["name"], "a/b ~c% é");
    assert_eq!(message["payload"]["title"], "a/b ~c% é");
    assert_eq!(
        document["channels"]["dead letters"]["messages"]["a/b ~c% é"]["$ref"],
        "#/components/messages/a_b__c___"
    );
    assert_eq!(
        document["operations"]["send_a_b__c__é__part__dead_letters"]["messages"][0]["$ref"],
        "#/channels/dead letters/messages/a~1b ~0c%25 é"
    );
    // A field that is called like a keyword is still a field.
    assert_eq!(message["payload"]["properties"]["$ref"]["type"], "string");
}

// API-40
#[test]
fn data_that_looks_like_a_reference_is_left_alone() {
    let app = depot().with_broker(MemoryBroker::new(), |b| {
        b.include(tree);
    });
    let mut spec = build_spec(&app);
    let data = json!({ "$ref": "#/definitions/It" });
    spec.components
        .messages
        .get_mut("Tree")
        .expect("is there")
        .payload = Some(json!({
        "definitions": { "It": { "type": "string" } },
        "properties": {
            "default": { "$ref": "#/definitions/It" },
            "it": { "const": data, "default": data, "enum": [data], "examples": [data] },
        },
    }));
    let text = spec.to_json().expect("serializes");
    let written: Value = serde_json::from_str(&text).expect("is JSON");
    let payload = &written["components"]["messages"]["Tree"]["payload"];
    let it = &payload["properties"]["it"];
    assert_eq!(
        it,
        &json!({ "const": data, "default": data, "enum": [data], "examples": [data] })
    );
    assert_eq!(
        payload["properties"]["default"]["$ref"],
        "#/components/messages/Tree/payload/definitions/It"
    );
}

// API-40: what is held is relative to the schema.
#[test]
fn a_schema_is_held_as_it_was_generated() {
    let app = depot().with_broker(MemoryBroker::new(), |b| {
        b.include(odd).out(Everything, Publish).build();
    });
    let spec = build_spec(&app);
    let payload = spec.components.messages["All"]
        .payload
        .as_ref()
        .expect("has a schema");
    assert_eq!(payload["properties"]["flat"]["$ref"], "#/definitions/Flat");
    assert_eq!(written(&app), written(&app));
}
