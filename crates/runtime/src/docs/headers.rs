//! Header contracts laid over each other (API-41).

use std::collections::BTreeMap;
use std::mem;

use serde_json::{Map, Value};

/// The keywords that hold the definitions of a schema, in the dialects there are.
const DEFINITIONS: [&str; 2] = ["definitions", "$defs"];

/// Lays `own`, the header contract of one message, over `shared`, that of its subscription.
///
/// The outcome has the properties of both, where `own` wins, and requires what either does. A
/// contract that is not a JSON object counts as none; without any there is no outcome.
#[doc(hidden)]
#[must_use]
pub fn join_headers(shared: &str, own: Option<&str>) -> Option<String> {
    let joined = match (object(shared), own.and_then(object)) {
        (Some(shared), Some(own)) => join(shared, own),
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => return None,
    };
    serde_json::to_string(&Value::Object(typed(joined))).ok()
}

fn object(schema: &str) -> Option<Map<String, Value>> {
    match serde_json::from_str(schema) {
        Ok(Value::Object(object)) => Some(object),
        _ => None,
    }
}

fn typed(mut schema: Map<String, Value>) -> Map<String, Value> {
    schema.insert("type".to_owned(), "object".into());
    schema
}

fn join(mut shared: Map<String, Value>, mut own: Map<String, Value>) -> Map<String, Value> {
    for keyword in DEFINITIONS {
        move_aside(keyword, &mut shared, &own);
        merge(keyword, &mut shared, &mut own);
    }
    merge("properties", &mut shared, &mut own);
    let mut required = list(shared.remove("required"));
    for name in list(own.remove("required")) {
        if !required.contains(&name) {
            required.push(name);
        }
    }
    if !required.is_empty() {
        own.insert("required".to_owned(), required.into());
    }
    // What is left describes the contract as a whole, so the own one's words stand.
    for (keyword, value) in shared {
        own.entry(keyword).or_insert(value);
    }
    own
}

/// Moves the members that `shared` has under `keyword`, and `own` has not, over to `own`.
fn merge(keyword: &str, shared: &mut Map<String, Value>, own: &mut Map<String, Value>) {
    let Some(Value::Object(members)) = shared.remove(keyword) else {
        return;
    };
    let target = own
        .entry(keyword)
        .or_insert_with(|| Value::Object(Map::new()));
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    if let Value::Object(target) = target {
        for (name, member) in members {
            target.entry(name).or_insert(member);
        }
    }
}

fn list(value: Option<Value>) -> Vec<Value> {
    match value {
        Some(Value::Array(items)) => items,
        _ => Vec::new(),
    }
}

/// Renames each shared definition whose name `own` uses for another schema, with the references to
/// it.
fn move_aside(keyword: &str, shared: &mut Map<String, Value>, own: &Map<String, Value>) {
    let (Some(Value::Object(theirs)), Some(Value::Object(ours))) =
        (shared.get(keyword), own.get(keyword))
    else {
        return;
    };
    let mut taken: Vec<String> = theirs.keys().chain(ours.keys()).cloned().collect();
    let mut moves = BTreeMap::new();
    for (name, schema) in theirs {
        if ours.get(name).is_some_and(|our| our != schema) {
            let suffix = (2..=u64::MAX)
                .map(|n| format!("_{n}"))
                .find(|suffix| !taken.contains(&format!("{name}{suffix}")))
                .unwrap_or_default();
            taken.push(format!("{name}{suffix}"));
            moves.insert(name.clone(), suffix);
        }
    }
    if let Some(Value::Object(theirs)) = shared.get_mut(keyword) {
        let renamed = mem::take(theirs).into_iter().map(|(name, schema)| {
            let suffix = moves.get(&name).map_or("", String::as_str);
            (format!("{name}{suffix}"), schema)
        });
        *theirs = renamed.collect();
    }
    let place = format!("#/{keyword}/");
    shared
        .values_mut()
        .for_each(|value| follow(value, &place, &moves));
}

/// Points every reference to a definition at `place` that moved, or to something in it, there.
fn follow(value: &mut Value, place: &str, moves: &BTreeMap<String, String>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                match value {
                    Value::String(text) if key == "$ref" => {
                        if let Some(followed) = followed(text, place, moves) {
                            *text = followed;
                        }
                    }
                    other => follow(other, place, moves),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| follow(item, place, moves)),
        _ => {}
    }
}

fn followed(reference: &str, place: &str, moves: &BTreeMap<String, String>) -> Option<String> {
    let rest = reference.strip_prefix(place)?;
    let (segment, deeper) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    // The suffix needs no escape, so it goes behind the name in whichever way that is encoded.
    let suffix = moves.get(&decoded(segment))?;
    Some(format!("{place}{segment}{suffix}{deeper}"))
}

/// The name that a segment of a reference stands for.
fn decoded(segment: &str) -> String {
    let mut bytes = Vec::with_capacity(segment.len());
    let mut rest = segment.as_bytes();
    while let [first, tail @ ..] = rest {
        let digits = tail
            .get(..2)
            .filter(|_| *first == b'%')
            .and_then(|two| str::from_utf8(two).ok());
        if let Some(byte) = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            bytes.push(byte);
            rest = &tail[2..];
        } else {
            bytes.push(*first);
            rest = tail;
        }
    }
    String::from_utf8_lossy(&bytes)
        .replace("~1", "/")
        .replace("~0", "~")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn joined(shared: &Value, own: &Value) -> Value {
        let text = join_headers(&shared.to_string(), Some(&own.to_string()));
        serde_json::from_str(&text.expect("joins")).expect("is JSON")
    }

    // API-41
    #[test]
    fn properties_of_both_are_kept_and_the_own_one_wins() {
        let shared = json!({
            "properties": { "tenant": { "type": "string" }, "kind": { "type": "string" } },
            "required": ["tenant", "kind"],
        });
        let own = json!({
            "title": "Own",
            "properties": { "kind": { "const": "scan" }, "shelf": {} },
            "required": ["shelf", "kind"],
        });
        assert_eq!(
            joined(&shared, &own),
            json!({
                "title": "Own",
                "type": "object",
                "properties": { "tenant": { "type": "string" }, "kind": { "const": "scan" }, "shelf": {} },
                "required": ["tenant", "kind", "shelf"],
            })
        );
    }

    // API-41
    #[test]
    fn a_contract_that_is_no_object_is_ignored() {
        let own = r#"{"properties":{"a":{}}}"#;
        let expected = json!({ "type": "object", "properties": { "a": {} } });
        for (shared, own) in [
            ("true", Some(own)),
            (own, Some("[]")),
            (own, None),
            ("{", Some(own)),
        ] {
            let text = join_headers(shared, own).expect("one is left");
            assert_eq!(
                serde_json::from_str::<Value>(&text).expect("is JSON"),
                expected
            );
        }
        assert_eq!(join_headers("null", Some("7")), None);
        assert_eq!(join_headers("", None), None);
    }

    // API-41
    #[test]
    fn a_shared_definition_of_a_name_in_other_use_is_renamed_with_its_references() {
        let shared = json!({
            "properties": { "a": { "$ref": "#/definitions/Level" }, "b": { "$ref": "#/definitions/Same" } },
            "definitions": {
                "Level": { "type": "string" },
                "Level_2": { "items": { "$ref": "#/definitions/Level" } },
                "Same": { "type": "null" },
            },
        });
        let own = json!({
            "properties": { "c": { "$ref": "#/definitions/Level" } },
            "definitions": { "Level": { "type": "integer" }, "Same": { "type": "null" } },
        });
        assert_eq!(
            joined(&shared, &own),
            json!({
                "type": "object",
                "properties": {
                    "a": { "$ref": "#/definitions/Level_3" },
                    "b": { "$ref": "#/definitions/Same" },
                    "c": { "$ref": "#/definitions/Level" },
                },
                "definitions": {
                    "Level": { "type": "integer" },
                    "Level_2": { "items": { "$ref": "#/definitions/Level_3" } },
                    "Level_3": { "type": "string" },
                    "Same": { "type": "null" },
                },
            })
        );
    }

    // API-41
    #[test]
    fn a_reference_is_followed_in_whichever_way_it_is_encoded() {
        let shared = json!({
            "properties": { "a": { "$ref": "#/definitions/a~1b%20%C3%A9~0/items" } },
            "definitions": { "a/b é~": { "items": {} } },
        });
        let own = json!({ "definitions": { "a/b é~": {} } });
        let joined = joined(&shared, &own);
        assert_eq!(
            joined["properties"]["a"]["$ref"],
            "#/definitions/a~1b%20%C3%A9~0_2/items"
        );
        assert_eq!(joined["definitions"]["a/b é~_2"], json!({ "items": {} }));
    }

    // API-41: what was renamed is not mistaken for what kept its name.
    #[test]
    fn two_renames_do_not_follow_each_other() {
        let shared = json!({
            "properties": { "a": { "$ref": "#/$defs/A" }, "b": { "$ref": "#/$defs/A_2" } },
            "$defs": { "A": { "type": "string" }, "A_2": { "type": "null" } },
        });
        let own = json!({ "$defs": { "A": {}, "A_2": {} } });
        let joined = joined(&shared, &own);
        let defs = &joined["$defs"];
        let at = |property: &str| {
            let reference = joined["properties"][property]["$ref"]
                .as_str()
                .expect("a reference");
            defs[reference.rsplit('/').next().expect("a name")].clone()
        };
        assert_eq!(at("a"), json!({ "type": "string" }));
        assert_eq!(at("b"), json!({ "type": "null" }));
    }
}
