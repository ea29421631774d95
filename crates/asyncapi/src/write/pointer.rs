//! References as JSON pointers behind `#` (API-61).

use std::fmt::Write as _;

use serde_json::Value;

use crate::document::Reference;

/// A pointer into the document, grown segment by segment.
#[derive(Debug, Clone)]
pub(crate) struct Pointer(String);

impl Pointer {
    /// The document itself.
    pub(crate) fn root() -> Self {
        Self("#".to_owned())
    }

    /// The member `segment` of what this points at.
    pub(crate) fn at(mut self, segment: &str) -> Self {
        self.0.push('/');
        self.0.push_str(&escape(segment));
        self
    }

    pub(crate) fn message(name: &str) -> Self {
        Self::root().at("components").at("messages").at(name)
    }

    pub(crate) fn channel(id: &str) -> Self {
        Self::root().at("channels").at(id)
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<Pointer> for Reference {
    fn from(pointer: Pointer) -> Self {
        Self {
            reference: pointer.0,
        }
    }
}

/// A segment in the fragment of a URI: a reader decodes `%` first, then `~1`, then `~0`.
pub(crate) fn escape(segment: &str) -> String {
    let mut escaped = String::with_capacity(segment.len());
    for character in segment.chars() {
        match character {
            '~' => escaped.push_str("~0"),
            '/' => escaped.push_str("~1"),
            '%' => escaped.push_str("%25"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// What [`escape`] and any percent-encoding made of text, taken back.
pub(crate) fn decoded(text: &str) -> String {
    percent_decoded(text).replace("~1", "/").replace("~0", "~")
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let encoded = match (first, tail) {
            (b'%', [high, low, ..]) => hex(*high).zip(hex(*low)),
            _ => None,
        };
        rest = if let Some((high, low)) = encoded {
            bytes.push(high << 4 | low);
            &tail[2..]
        } else {
            bytes.push(*first);
            tail
        };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit)
        .to_digit(16)
        .and_then(|value| u8::try_from(value).ok())
}

/// What `pointer`, the text behind `#`, points at in `value`.
pub(crate) fn resolve<'v>(value: &'v Value, pointer: &str) -> Option<&'v Value> {
    let Some(segments) = pointer.strip_prefix('/') else {
        return pointer.is_empty().then_some(value);
    };
    let mut plain = String::with_capacity(pointer.len());
    for segment in segments.split('/') {
        // `Value::pointer` takes `~` escapes back itself, but knows nothing of `%`.
        let segment = decoded(segment).replace('~', "~0").replace('/', "~1");
        // Writing to a string does not fail.
        let _ = write!(plain, "/{segment}");
    }
    value.pointer(&plain)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    // API-61
    #[test]
    fn a_segment_escapes_three_characters_and_no_other() {
        let pointer = Pointer::channel("a/~b%20.{site} é").at("messages");
        assert_eq!(pointer.as_str(), "#/channels/a~1~0b%2520.{site} é/messages");
    }

    // API-61, API-40
    #[test]
    fn a_pointer_resolves_whichever_way_it_was_encoded() {
        let value = json!({ "definitions": { "a/~b %41": 7 } });
        let escaped = escape("a/~b %41");
        for pointer in [
            "/definitions/a~1~0b%20%2541",
            &format!("/definitions/{escaped}"),
        ] {
            assert_eq!(resolve(&value, pointer), Some(&json!(7)), "{pointer}");
        }
        assert_eq!(resolve(&value, ""), Some(&value));
        assert_eq!(resolve(&value, "definitions"), None);
        assert_eq!(resolve(&value, "/definitions/b"), None);
    }
}
