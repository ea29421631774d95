//! HTML as text.

use std::fmt::{self, Display, Write as _};

/// Text that is shown as it is, in an element or in a quoted attribute.
pub(super) struct Escaped<'a>(pub(super) &'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for character in self.0.chars() {
            match character {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                other => f.write_char(other)?,
            }
        }
        Ok(())
    }
}

/// Text as a JavaScript string inside a `<script>`, which nothing in it can end.
pub(super) fn script_string(text: &str) -> String {
    let mut literal = String::with_capacity(text.len() + 2);
    // A string is always JSON.
    for character in serde_json::to_string(text).unwrap_or_default().chars() {
        match character {
            // The last two end a line to older engines.
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                // Writing to a string does not fail.
                let _ = write!(literal, "\\u{:04x}", u32::from(character));
            }
            other => literal.push(other),
        }
    }
    literal
}

#[cfg(test)]
mod tests {
    use super::*;

    // API-68
    #[test]
    fn text_cannot_end_what_it_stands_in() {
        let hostile = r#"</title><script>alert("1 & 2")</script>'"#;
        assert_eq!(
            Escaped(hostile).to_string(),
            "&lt;/title&gt;&lt;script&gt;alert(&quot;1 &amp; 2&quot;)&lt;/script&gt;&#39;"
        );
        assert_eq!(
            script_string("</script>\"&\u{2028}"),
            r#""\u003c/script\u003e\"\u0026\u2028""#
        );
    }
}
