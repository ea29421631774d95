//! YAML, read back.

use ruststream::asyncapi::{Spec, build_spec};
use ruststream::memory::prelude::*;
use serde_json::{Value, json};

use crate::support::{depot, mounted, written};

/// Strings that some reader of YAML takes for something else.
pub(crate) const TRAPS: &[&str] = &[
    "no",
    "No",
    "NO",
    "yes",
    "y",
    "Y",
    "n",
    "on",
    "Off",
    "true",
    "FALSE",
    "null",
    "Null",
    "~",
    "",
    "1.10",
    "1",
    "-1",
    "+1",
    "0x1F",
    "0o17",
    "017",
    "0b11",
    "1_000",
    "12:30",
    "12:30:45",
    "190:20:30.15",
    "1e3",
    "1.5e3",
    "1.",
    ".5",
    "-.inf",
    ".NaN",
    "NaN",
    "inf",
    "2001-12-14",
    "2001-12-14t21:59:43.10-05:00",
    "=",
    "<<",
    "!tag",
    "&anchor",
    "*alias",
    "- item",
    "? key",
    "key: value",
    "trailing:",
    "a #comment",
    "#comment",
    "%directive",
    "@at",
    "`tick",
    "'quoted'",
    "\"quoted\"",
    "[flow]",
    "{flow}",
    "a, b",
    " leading",
    "trailing ",
    "tab\tinside",
    "\ttab",
    "line\nbreak",
    "line\nbreak\n",
    "line\n\n\nbreaks",
    "\nleading break",
    "trailing breaks\n\n",
    "  indented\nblock",
    "block\n  indented\n",
    "spaces \nat end",
    "carriage\rreturn",
    "a\r\nb",
    "next\u{85}line",
    "line\u{2028}separator\nx",
    "bell\u{7}",
    "del\u{7f}\nx",
    "nul\0",
    "bom\u{feff}",
    "---",
    "...",
    "--- a",
    "é",
    "日本語",
    "😀",
    "\u{fffe}",
    "C:\\path",
    "a\\nb",
    "|",
    ">",
    "|-",
    "3.1.0",
    "1.2.3.4",
    "a: b: c",
    "</script>",
    "--x",
    "?",
    ":",
    ":a",
    "a:b",
    "-",
    "_",
    "__proto__",
    "e5",
    "a,b",
    "a , b,",
    "it's",
    "don't: x",
];

fn with_traps() -> Spec {
    let app = depot().with_broker(MemoryBroker::new(), |b| {
        b.include(tick);
    });
    let mut spec = build_spec(&app);
    let keys = TRAPS
        .iter()
        .map(|trap| ((*trap).to_owned(), json!({ "const": trap })));
    let numbers = json!([
        0,
        -1,
        u64::MAX,
        i64::MIN,
        1.5,
        -0.0,
        1e22,
        1e-7,
        1.5e300,
        0.1,
        100.0,
        123_456_789.125
    ]);
    spec.components
        .messages
        .get_mut("uint64")
        .expect("is there")
        .payload = Some(json!({
        "properties": keys.collect::<serde_json::Map<_, _>>(),
        "enum": TRAPS,
        "default": numbers,
        "examples": [[], {}, [[]], [{}], [[1, [2]], { "a": [{ "b": [] }] }], null, true, false],
    }));
    spec.info.description = Some("Reads ticks.\n\n  - one\n  - two: #three\n".to_owned());
    spec
}

#[subscriber("ticks")]
async fn tick(_tick: &u64) {}

fn read(spec: &Spec) -> (Value, Value) {
    let json = serde_json::from_str(&spec.to_json().expect("serializes")).expect("is JSON");
    let yaml = spec.to_yaml().expect("serializes");
    let yaml = serde_norway::from_str(&yaml).unwrap_or_else(|error| panic!("{error} in\n{yaml}"));
    (json, yaml)
}

// API-65
#[test]
fn yaml_reads_as_the_json_does() {
    let (json, yaml) = read(&with_traps());
    assert_eq!(json, yaml);
}

// API-65
#[test]
fn yaml_has_the_keys_in_the_same_order_and_begins_with_the_version() {
    let document = mounted(|b| {
        b.include(tick);
    });
    let app = depot().with_broker(MemoryBroker::new(), |b| {
        b.include(tick);
    });
    assert_eq!(document, written(&app));
    assert_eq!(
        build_spec(&app).to_yaml().expect("serializes"),
        include_str!("ticks.yaml")
    );
}

// API-65: what is no string to every reader is quoted.
#[test]
fn a_string_is_quoted_where_a_reader_could_take_it_for_something_else() {
    let yaml = with_traps().to_yaml().expect("serializes");
    for quoted in [
        "\"no\"",
        "\"1.10\"",
        "\"0x1F\"",
        "\"12:30\"",
        "\"~\"",
        "\"2001-12-14\"",
        "\"<<\"",
    ] {
        assert!(
            yaml.contains(&format!("- {quoted}\n")),
            "{quoted} in\n{yaml}"
        );
        assert!(
            yaml.contains(&format!("{quoted}:\n")),
            "{quoted} as a key in\n{yaml}"
        );
    }
    assert!(
        yaml.contains("\n  description: |\n    Reads ticks.\n\n      - one\n"),
        "{yaml}"
    );
    assert!(yaml.contains("- 1.0e+22\n"), "{yaml}");
}
