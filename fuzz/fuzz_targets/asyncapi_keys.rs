//! Whatever subscriptions, servers, messages and schemes are called, the document has keys that the standard allows, as
//! many as there are names, and references that lead somewhere; and its YAML is its JSON.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use ruststream::ServerSpec;
use ruststream::asyncapi::{ViewerOptions, build_spec, render_static_html, render_viewer_html};
use ruststream::memory::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "its schema is what counts")]
struct Scan {
    parcel: u64,
    next: Option<Box<Scan>>,
}

#[derive(Serialize, JsonSchema, Outgoing)]
#[outgoing(name = "parcels.located")]
struct Located(u64);

#[subscriber]
async fn locate(_scan: &Scan, ctx: &mut Context<'_>) -> HandlerOutcome {
    let _ = ctx;
    HandlerOutcome::ack()
}

#[subscriber("answers", reply)]
async fn answer(scan: &Scan) -> Located {
    Located(scan.parcel)
}

#[derive(Debug, Arbitrary)]
struct Input<'a> {
    title: &'a str,
    labels: [&'a str; 2],
    server: &'a str,
    url: &'a str,
    subscriptions: Vec<&'a str>,
    dead: &'a str,
    messages: Vec<&'a str>,
    schemes: Vec<&'a str>,
}

fuzz_target!(|input: Input<'_>| {
    let app = RustStream::new(AppInfo::new(input.title, "0.0.0"))
        .server(input.server, ServerSpec::from_url(input.url, "nats"))
        .with_broker_labeled(input.labels[0], MemoryBroker::new(), |b| {
            for name in &input.subscriptions {
                b.include(locate.name((*name).to_owned()))
                    .max_attempts(nonzero!(2))
                    .dead_letter(input.dead.to_owned());
            }
        })
        .with_broker_labeled(input.labels[1], MemoryBroker::new(), |b| {
            b.include(answer);
        });
    let mut spec = build_spec(&app);
    let model = spec.components.messages.values().next().cloned();
    for name in &input.messages {
        spec.components.messages.entry((*name).to_owned()).or_insert_with(|| model.clone().expect("of `answer`"));
    }
    for name in &input.schemes {
        let scheme = serde_json::json!({ "type": "plain" });
        spec.components.security_schemes.insert((*name).to_owned(), scheme);
    }

    let document: Value = serde_json::from_str(&spec.to_json().expect("JSON")).expect("what was written");
    let parts = &document["components"];
    check_keys(&parts["messages"], spec.components.messages.len(), ".-_");
    check_keys(&parts["securitySchemes"], spec.components.security_schemes.len(), ".-_");
    check_keys(&document["servers"], spec.servers.len(), "-_");
    check_keys_are_counted(&document["channels"], spec.channels.len());
    check_keys_are_counted(&document["operations"], spec.operations.len());
    check_references(&document, &document);
    // The model of `answer` is still its own, whoever took a name beside it.
    assert_eq!(parts["messages"]["Located"]["name"], "Located");

    let yaml: Value = serde_norway::from_str(&spec.to_yaml().expect("YAML")).expect("what was written");
    assert_eq!(yaml, document);
    let _ = render_static_html(&spec);
    let _ = render_viewer_html(input.url, &ViewerOptions::default());
});

fn check_keys(map: &Value, count: usize, beside: &str) {
    check_keys_are_counted(map, count);
    for key in map.as_object().into_iter().flat_map(|map| map.keys()) {
        let legal = |c: char| c.is_ascii_alphanumeric() || beside.contains(c);
        assert!(!key.is_empty() && key.chars().all(legal), "{key:?}");
    }
}

fn check_keys_are_counted(map: &Value, count: usize) {
    assert_eq!(map.as_object().map_or(0, serde_json::Map::len), count);
}

/// Every reference leads to something in the document.
fn check_references(part: &Value, document: &Value) {
    match part {
        Value::Object(map) => {
            if let Some(Value::String(reference)) = map.get("$ref") {
                let pointer = reference.strip_prefix('#').expect("within the document");
                let pointer = unescaped(pointer);
                assert!(document.pointer(&pointer).is_some(), "{reference:?}");
            }
            map.values().for_each(|part| check_references(part, document));
        }
        Value::Array(parts) => parts.iter().for_each(|part| check_references(part, document)),
        _ => {}
    }
}

/// A pointer out of a URI, whose percent signs are taken back.
fn unescaped(pointer: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = pointer.as_bytes();
    while let [first, tail @ ..] = rest {
        let hex = |pair: &[u8]| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok();
        match (first, tail.get(..2).and_then(hex)) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            _ => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8(bytes).expect("UTF-8 again")
}
