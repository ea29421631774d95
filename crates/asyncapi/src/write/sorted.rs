//! JSON values with their keys in order, whatever features `serde_json` was built with (API-60).

use std::collections::BTreeMap;

use ruststream_core::bindings::Bindings;
use serde::ser::Error as _;
use serde::{Serialize, Serializer};
use serde_json::Value;

/// A value whose objects are written with sorted keys.
struct Sorted<'a>(&'a Value);

impl Serialize for Sorted<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Null => serializer.serialize_unit(),
            Value::Bool(value) => serializer.serialize_bool(*value),
            // With `arbitrary_precision` a number would serialize as a map of one key.
            Value::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
                (Some(value), _, _) => serializer.serialize_u64(value),
                (_, Some(value), _) => serializer.serialize_i64(value),
                (_, _, Some(value)) => serializer.serialize_f64(value),
                _ => number.serialize(serializer),
            },
            Value::String(value) => serializer.serialize_str(value),
            Value::Array(values) => serializer.collect_seq(values.iter().map(Sorted)),
            Value::Object(fields) => {
                let fields: BTreeMap<_, _> = fields
                    .iter()
                    .map(|(key, value)| (key, Sorted(value)))
                    .collect();
                serializer.collect_map(fields)
            }
        }
    }
}

#[allow(
    clippy::ref_option,
    reason = "the field's own type, as serde hands it over"
)]
pub(crate) fn option<S: Serializer>(
    value: &Option<Value>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    value.as_ref().map(Sorted).serialize(serializer)
}

pub(crate) fn values<S: Serializer>(
    values: &BTreeMap<String, Value>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(values.iter().map(|(key, value)| (key, Sorted(value))))
}

pub(crate) fn bindings<S: Serializer>(
    bindings: &Bindings,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let value = serde_json::to_value(bindings).map_err(S::Error::custom)?;
    Sorted(&value).serialize(serializer)
}

/// The value as indented text.
pub(crate) fn pretty(value: &Value) -> String {
    // A value is always JSON.
    serde_json::to_string_pretty(&Sorted(value)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    // API-60
    #[test]
    fn keys_are_sorted_at_every_depth() {
        let mut inner = serde_json::Map::new();
        for key in ["z", "a", "m"] {
            inner.insert(key.to_owned(), json!([{ "y": 1, "b": -2, "c": 1.5 }]));
        }
        let text = serde_json::to_string(&Sorted(&Value::Object(inner))).expect("is JSON");
        let item = r#"[{"b":-2,"c":1.5,"y":1}]"#;
        assert_eq!(text, format!(r#"{{"a":{item},"m":{item},"z":{item}}}"#));
    }
}
