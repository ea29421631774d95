//! The text that a document becomes.

use ruststream::asyncapi::build_spec;
use ruststream::memory::prelude::*;
use ruststream::schemars::JsonSchema;
use ruststream::{SecurityScheme, ServerSpec};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::support::{all_resolve, depot, keys, written};

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "A b")]
struct Spaced {
    one: u8,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "A/b")]
struct Slashed {
    inner: Option<Box<Slashed>>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Wrapped {
    spaced: Spaced,
}

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
    OnSpaced: Spaced;
    OnSlashed: Slashed;
    OnWrapped: Wrapped;
}

fn app() -> impl App {
    depot()
        .server(
            "eu.north 1",
            ServerSpec::new("n1:4222", "nats").security(SecurityScheme::plain()),
        )
        .with_broker(MemoryBroker::new(), |b| {
            b.include(subscriber("a b", OnSpaced).build());
            b.include(subscriber("a/b", OnSlashed).build());
            b.include(subscriber("wrapped", OnWrapped).build());
        })
}

// API-60
#[test]
fn two_documents_of_one_service_are_the_same_text() {
    assert_eq!(
        build_spec(&app()).to_json().ok(),
        build_spec(&app()).to_json().ok()
    );
    assert_eq!(
        build_spec(&app()).to_yaml().ok(),
        build_spec(&app()).to_yaml().ok()
    );
}

// API-62
#[test]
fn keys_that_the_standard_forbids_are_replaced_with_the_references_to_them() {
    let document = written(&app());
    assert_eq!(keys(&document["servers"]), ["eu_north_1"]);
    assert_eq!(
        keys(&document["components"]["securitySchemes"]),
        ["eu.north_1"]
    );
    assert_eq!(
        keys(&document["components"]["messages"]),
        ["A_b", "A_b_2", "Wrapped"]
    );
    assert_eq!(document["components"]["messages"]["A_b"]["name"], "A b");
    assert_eq!(document["components"]["messages"]["A_b_2"]["name"], "A/b");
    assert_eq!(
        document["channels"]["a/b"],
        json!({
            "address": "a/b",
            "messages": { "A/b": { "$ref": "#/components/messages/A_b_2" } },
            "servers": [{ "$ref": "#/servers/eu_north_1" }],
        })
    );
    assert_eq!(
        document["components"]["messages"]["A_b_2"]["payload"]["properties"]["inner"]["anyOf"][0]["$ref"],
        "#/components/messages/A_b_2/payload"
    );
    all_resolve(&document);
    // The objects keep the names.
    let spec = build_spec(&app());
    assert!(spec.servers.contains_key("eu.north 1"));
    assert!(spec.components.messages.contains_key("A/b"));
}

// API-64
#[test]
fn operations_and_components_hang_together() {
    let document = written(&app());
    let target = |reference: &Value| {
        let reference = reference["$ref"].as_str().expect("a reference").to_owned();
        crate::support::resolved(&document, &reference)
            .expect("resolves")
            .clone()
    };
    let mut used = Vec::new();
    for channel in document["channels"].as_object().expect("channels").values() {
        used.extend(
            channel["messages"]
                .as_object()
                .expect("messages")
                .values()
                .map(target),
        );
    }
    for message in document["components"]["messages"]
        .as_object()
        .expect("messages")
        .values()
    {
        assert!(used.contains(message), "{message:#}");
    }
    for operation in document["operations"]
        .as_object()
        .expect("operations")
        .values()
    {
        let channel = target(&operation["channel"]);
        let own: Vec<_> = channel["messages"]
            .as_object()
            .expect("messages")
            .values()
            .collect();
        for message in operation["messages"].as_array().expect("messages") {
            assert!(own.contains(&&target(message)));
        }
    }
}
