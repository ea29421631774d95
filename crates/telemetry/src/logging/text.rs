//! Values as they may stand on a line: without control characters, so that nothing in a message
//! ends the line, forges another one, or colours the terminal.

use std::fmt::{self, Write};

/// Writes text on, with its control characters escaped.
pub(super) struct Escaped<W>(pub(super) W);

impl<W: Write> Write for Escaped<W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut rest = text;
        while let Some(at) = rest.find(char::is_control) {
            let (clean, control) = rest.split_at(at);
            self.0.write_str(clean)?;
            let mut chars = control.chars();
            if let Some(control) = chars.next() {
                write!(self.0, "{}", control.escape_default())?;
            }
            rest = chars.as_str();
        }
        self.0.write_str(rest)
    }
}

/// Writes text on without the whitespace that ends it.
///
/// Whitespace is held back until something follows.
pub(super) struct Trimmed<W> {
    out: W,
    held: String,
    written: bool,
}

impl<W> Trimmed<W> {
    pub(super) const fn new(out: W) -> Self {
        Self {
            out,
            held: String::new(),
            written: false,
        }
    }

    /// Whether anything was written on.
    pub(super) const fn written(&self) -> bool {
        self.written
    }
}

impl<W: Write> Write for Trimmed<W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let kept = text.trim_end();
        if !kept.is_empty() {
            self.out.write_str(&self.held)?;
            self.held.clear();
            self.out.write_str(kept)?;
            self.written = true;
        }
        self.held.push_str(&text[kept.len()..]);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // OBS-04
    #[test]
    fn control_characters_are_escaped_and_nothing_else() {
        let mut line = String::new();
        Escaped(&mut line)
            .write_str("Zürich \u{1b}[31m\r\nnext\ttab \"quoted\" \\ \u{7f}")
            .unwrap();

        assert_eq!(
            line,
            "Zürich \\u{1b}[31m\\r\\nnext\\ttab \"quoted\" \\ \\u{7f}"
        );
    }

    // OBS-04
    #[test]
    fn whitespace_is_dropped_at_the_end_alone() {
        let mut line = String::new();
        let mut trimmed = Trimmed::new(&mut line);
        for piece in ["two ", "", " words", "\n", " "] {
            trimmed.write_str(piece).unwrap();
        }
        assert!(trimmed.written());
        assert_eq!(line, "two  words");

        let mut nothing = Trimmed::new(String::new());
        nothing.write_str(" \n").unwrap();
        assert!(!nothing.written());
    }
}
