//! How a failure shows what was recorded.

use std::fmt::Write;

use super::Outcome;
use crate::harness::CallRecord;

/// So many entries of a list are shown, and so many bytes of a payload.
const ENTRIES: usize = 10;
const BYTES: usize = 64;
const JSON: usize = 500;

/// JSON as it is; other bytes by their number, in hex, and as text where they are one.
pub(super) fn payload(bytes: &[u8]) -> String {
    if let Some(json) = as_json(bytes) {
        return cut(json, JSON);
    }
    let count = bytes.len();
    let mut told = format!("{count} bytes");
    let mut separator = ": ";
    for byte in bytes.iter().take(BYTES) {
        write!(told, "{separator}{byte:02x}").expect("a string takes it");
        separator = " ";
    }
    if count > BYTES {
        told.push_str(" ..");
    }
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.is_empty() && !text.contains(char::is_control) => {
            write!(told, " ({:?})", cut(text, BYTES)).expect("a string takes it");
        }
        _ => {}
    }
    told
}

#[cfg(feature = "json")]
fn as_json(bytes: &[u8]) -> Option<&str> {
    serde_json::from_slice::<serde::de::IgnoredAny>(bytes).ok()?;
    std::str::from_utf8(bytes).ok()
}

#[cfg(not(feature = "json"))]
fn as_json(_bytes: &[u8]) -> Option<&str> {
    None
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{} ..", &text[..end]),
        None => text.to_owned(),
    }
}

/// How a call ended, and what it was handed.
pub(super) fn call(call: &CallRecord) -> String {
    let outcome = Outcome::of(call);
    match &*call.deliveries {
        [one] => format!("{outcome:?} {}", payload(&one.payload)),
        batch => {
            let payloads = batch.iter().map(|delivery| payload(&delivery.payload));
            format!(
                "{outcome:?} a batch of {}{}",
                batch.len(),
                listed("    ", payloads)
            )
        }
    }
}

/// One line for each entry, up to a number.
pub(super) fn listed(indent: &str, entries: impl ExactSizeIterator<Item = String>) -> String {
    let more = entries.len().saturating_sub(ENTRIES);
    let mut told = String::new();
    for (number, entry) in entries.take(ENTRIES).enumerate() {
        write!(told, "\n{indent}{}. {entry}", number + 1).expect("a string takes it");
    }
    if more > 0 {
        write!(told, "\n{indent}and {more} more").expect("a string takes it");
    }
    told
}

/// Names in one line, up to a number.
pub(super) fn names(names: &[String]) -> String {
    let more = names.len().saturating_sub(ENTRIES);
    let shown = names[..names.len() - more].join(", ");
    match more {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::{listed, names, payload};

    #[cfg(feature = "json")]
    #[test]
    fn json_is_shown_as_it_is() {
        assert_eq!(payload(br#"{"id":7}"#), r#"{"id":7}"#);
        let long = format!("[{}1]", "1,".repeat(400));
        let shown = payload(long.as_bytes());
        assert!(
            shown.starts_with("[1,1,") && shown.ends_with(" .."),
            "{shown}"
        );
        assert_eq!(shown.len(), 503);
    }

    #[test]
    fn bytes_are_counted_and_shown_in_hex() {
        assert_eq!(payload(b""), "0 bytes");
        assert_eq!(payload(b"\x00\xff{"), "3 bytes: 00 ff 7b");
        assert_eq!(payload(b"torn"), "4 bytes: 74 6f 72 6e (\"torn\")");
        let long = payload(&[0xa0; 100]);
        assert!(
            long.starts_with("100 bytes: a0 a0 ") && long.ends_with(" a0 .."),
            "{long}"
        );
        assert_eq!(long.matches("a0").count(), 64);
    }

    #[test]
    fn lists_are_bounded() {
        let entries = |count: usize| (1..=count).map(|number| number.to_string());
        assert_eq!(
            listed("  ", entries(2).collect::<Vec<_>>().into_iter()),
            "\n  1. 1\n  2. 2"
        );
        let long = listed("  ", entries(12).collect::<Vec<_>>().into_iter());
        assert!(long.ends_with("\n  10. 10\n  and 2 more"), "{long}");
        let long = names(&entries(12).collect::<Vec<_>>());
        assert!(long.ends_with("9, 10 and 2 more"), "{long}");
    }
}
