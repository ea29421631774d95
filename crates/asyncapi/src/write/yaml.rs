//! YAML that readers of version 1.1 and of version 1.2 understand alike.
//!
//! The two differ in what an unquoted word means: `no`, `12:30`, `0x1F` and `1e3` are a boolean or a
//! number to one and a string to the other. So a string is left unquoted only where no reader can
//! take it for anything else, and numbers are written in the one form that both read.

use std::fmt::Write as _;

use serde_norway::{Mapping, Number, Value};

/// Words that version 1.1, or a lenient reader, takes for something other than a string.
const WORDS: &[&str] = &[
    "y", "yes", "n", "no", "on", "off", "true", "false", "null", "nan", "inf", "none",
];

/// A key longer than this is no simple one to a reader (the standard's limit is 1024).
const SIMPLE_KEY: usize = 512;

/// The document `tree` as text that ends with a newline.
pub(crate) fn write(tree: &Value) -> String {
    let mut writer = Writer {
        text: String::new(),
    };
    match tree {
        Value::Mapping(fields) if !fields.is_empty() => writer.mapping(fields, 0),
        Value::Sequence(items) if !items.is_empty() => writer.sequence(items, 0),
        scalar => writer.value(scalar, 0),
    }
    writer.text
}

struct Writer {
    text: String,
}

impl Writer {
    fn mapping(&mut self, fields: &Mapping, depth: usize) {
        for (position, (key, value)) in fields.iter().enumerate() {
            // The first field of a mapping in a sequence stands behind its dash.
            if position > 0 || self.at_line_start() {
                self.indent(depth);
            }
            let key = inline(key);
            if key.len() > SIMPLE_KEY {
                self.text.push_str("? ");
                self.text.push_str(&key);
                self.text.push('\n');
                self.indent(depth);
            } else {
                self.text.push_str(&key);
            }
            self.text.push(':');
            self.member(value, depth);
        }
    }

    fn sequence(&mut self, items: &[Value], depth: usize) {
        for item in items {
            self.indent(depth);
            self.text.push('-');
            match item {
                Value::Mapping(fields) if !fields.is_empty() => {
                    self.text.push(' ');
                    self.mapping(fields, depth + 1);
                }
                other => self.member(other, depth),
            }
        }
    }

    /// What follows a `:` or a `-` that stands at `depth`.
    fn member(&mut self, value: &Value, depth: usize) {
        match value {
            Value::Mapping(fields) if !fields.is_empty() => {
                self.text.push('\n');
                self.mapping(fields, depth + 1);
            }
            Value::Sequence(items) if !items.is_empty() => {
                self.text.push('\n');
                self.sequence(items, depth + 1);
            }
            other => {
                self.text.push(' ');
                self.value(other, depth + 1);
            }
        }
    }

    /// A scalar or an empty collection, with the end of its line; `depth` is that of its block.
    fn value(&mut self, value: &Value, depth: usize) {
        match value {
            Value::String(text) if is_block(text) => self.block(text, depth),
            other => {
                self.text.push_str(&inline(other));
                self.text.push('\n');
            }
        }
    }

    /// Lines as they are, which is how prose stays readable.
    fn block(&mut self, text: &str, depth: usize) {
        self.text
            .push_str(if text.ends_with('\n') { "|\n" } else { "|-\n" });
        for line in text.lines() {
            if !line.is_empty() {
                self.indent(depth.max(1));
                self.text.push_str(line);
            }
            self.text.push('\n');
        }
    }

    fn indent(&mut self, depth: usize) {
        for _ in 0..depth {
            self.text.push_str("  ");
        }
    }

    fn at_line_start(&self) -> bool {
        self.text.is_empty() || self.text.ends_with('\n')
    }
}

/// A value on one line.
fn inline(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => numeral(number),
        Value::String(text) if is_plain(text) => text.clone(),
        Value::String(text) => quoted(text),
        Value::Sequence(_) => "[]".to_owned(),
        Value::Mapping(_) => "{}".to_owned(),
        // JSON has no tags, so the tree of a document has none.
        Value::Tagged(tagged) => inline(&tagged.value),
    }
}

/// Version 1.1 reads an exponent only behind a point and with a sign.
fn numeral(number: &Number) -> String {
    let text = number.to_string();
    let Some((mantissa, exponent)) = text.split_once('e') else {
        return text;
    };
    let point = if mantissa.contains('.') { "" } else { ".0" };
    let sign = if exponent.starts_with(['-', '+']) {
        ""
    } else {
        "+"
    };
    format!("{mantissa}{point}e{sign}{exponent}")
}

/// Whether every reader takes the unquoted text for this very string.
fn is_plain(text: &str) -> bool {
    if is_version(text) {
        return true;
    }
    let inner = |character: char| {
        character.is_alphanumeric()
            || matches!(
                character,
                ' ' | '$'
                    | '_'
                    | '-'
                    | '.'
                    | ','
                    | ';'
                    | '\''
                    | '/'
                    | '+'
                    | '('
                    | ')'
                    | '<'
                    | '>'
                    | '='
            )
    };
    text.starts_with(|first: char| first.is_ascii_alphabetic() || matches!(first, '_' | '$'))
        && !text.ends_with(' ')
        && text.chars().all(inner)
        && !WORDS.iter().any(|word| word.eq_ignore_ascii_case(text))
        && !is_exponent(text)
}

/// What a number could end with; to a lenient reader it is one by itself.
fn is_exponent(text: &str) -> bool {
    text.strip_prefix(['e', 'E'])
        .is_some_and(|rest| !rest.contains(char::is_alphabetic))
}

/// Three numbers with points between, as in `3.1.0`: no number to anyone.
fn is_version(text: &str) -> bool {
    let mut parts = 0;
    text.split('.').all(|part| {
        parts += 1;
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit())
    }) && parts == 3
}

/// Whether the text is one of several lines that can stand as they are.
fn is_block(text: &str) -> bool {
    let lines = text.strip_suffix('\n').unwrap_or(text);
    lines.contains('\n')
        && !lines.ends_with('\n')
        && !text.starts_with([' ', '\t', '\n'])
        && lines.split('\n').all(|line| {
            !line.ends_with([' ', '\t']) && line.chars().all(|c| c == '\t' || !needs_escape(c))
        })
}

/// JSON's escapes are YAML's too, of either version.
fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            other if needs_escape(other) => {
                // Writing to a string does not fail.
                let _ = write!(quoted, "\\u{:04x}", u32::from(other));
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

/// Characters that are not printable to a reader, or end a line for some.
fn needs_escape(character: char) -> bool {
    matches!(
        character,
        '\0'..='\x1f' | '\x7f'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
    )
}
