//! Why an input could not be made, without the words of payload or headers (OBS-06).

/// What serde's formats say before they quote the value that they met.
const QUOTES: [&str; 3] = ["invalid type: ", "invalid value: ", "unknown variant "];

/// An error's text without the values that a serde format quotes in it: a payload may be nothing to
/// log. What kind of value it was, and what was expected where, stays.
pub(crate) fn without_values(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(end) = QUOTES
        .iter()
        .filter_map(|quote| Some(rest.find(quote)? + quote.len()))
        .min()
    {
        let (before, after) = rest.split_at(end);
        // `string "none", expected u32`, `integer `7`, expected a string`, `map, expected u32`
        let value = after.find(['"', '`', ',']);
        let Some((at, mark)) = value.and_then(|at| Some((at, after[at..].chars().next()?))) else {
            kept.push_str(before);
            rest = after;
            continue;
        };
        kept.push_str(before);
        kept.push_str(after[..at].trim_end());
        rest = match mark {
            '"' => after_string(&after[at + 1..]),
            '`' => after_ticks(&after[at + 1..]),
            _ => &after[at..],
        };
        if kept.ends_with("unknown variant") || kept.ends_with("unknown variant ") {
            kept.truncate(kept.trim_end().len());
        }
    }
    kept.push_str(rest);
    kept
}

/// What follows a string in the form of `{:?}`, whose own quotes are escaped.
fn after_string(text: &str) -> &str {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return &text[at + 1..],
            _ => {}
        }
    }
    ""
}

/// What follows a value between backticks, which may have some in it.
fn after_ticks(text: &str) -> &str {
    let ends = ["`, expected ", "`, there are no variants"];
    // The last one: a value may contain the words too, and then more goes than has to.
    let end = ends.iter().filter_map(|end| text.rfind(end)).max();
    end.map_or("", |end| &text[end + 1..])
}

#[cfg(test)]
mod tests {
    use super::without_values;

    // OBS-06
    #[test]
    fn the_value_goes_and_the_rest_stays() {
        let texts = [
            (
                r#"decode failed: invalid type: string "4111 \"x\", expected u8 1111", expected u32 at line 1 column 9"#,
                "decode failed: invalid type: string, expected u32 at line 1 column 9",
            ),
            (
                "invalid type: integer `4111`, expected a string at line 1 column 4",
                "invalid type: integer, expected a string at line 1 column 4",
            ),
            (
                "invalid value: floating point `1.5`, expected u8",
                "invalid value: floating point, expected u8",
            ),
            (
                "unknown variant `se`cret`, expected `a` or `b` at line 1 column 7",
                "unknown variant, expected `a` or `b` at line 1 column 7",
            ),
            (
                "unknown variant `se`, expected `cret`, expected `a` at line 1 column 7",
                "unknown variant, expected `a` at line 1 column 7",
            ),
            (
                "unknown variant `s`, there are no variants",
                "unknown variant, there are no variants",
            ),
            (
                "`Parcel`: invalid type: string \"a\", expected u32; `Letters`: invalid type: boolean `true`, expected a sequence",
                "`Parcel`: invalid type: string, expected u32; `Letters`: invalid type: boolean, expected a sequence",
            ),
            (
                "invalid type: map, expected u32",
                "invalid type: map, expected u32",
            ),
            (
                "missing field `mag` at line 1",
                "missing field `mag` at line 1",
            ),
            ("invalid type: string \"torn", "invalid type: string"),
            ("invalid type: ", "invalid type: "),
            (
                "EOF while parsing a value at line 1 column 0",
                "EOF while parsing a value at line 1 column 0",
            ),
        ];
        for (text, expected) in texts {
            assert_eq!(without_values(text), expected);
        }
    }
}
