//! An error as one line of text.

/// A cause may be the service's own, and of any number of lines; whoever reads a log reads one.
pub(crate) fn in_one_line(text: &str) -> String {
    let lines = text.lines().map(str::trim);
    let told: Vec<_> = lines.filter(|line| !line.is_empty()).collect();
    escaped(&told.join(" "))
}

/// A terminal obeys control characters, which a text may have from anywhere, such as a payload.
fn escaped(text: &str) -> String {
    text.chars().fold(String::new(), |mut line, c| {
        if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') {
            line.extend(c.escape_default());
        } else {
            line.push(c);
        }
        line
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    // CLI-12
    #[test]
    fn an_error_of_many_lines_is_told_in_one() {
        assert_eq!(
            in_one_line("no ledger:\n\n  at north\n"),
            "no ledger: at north"
        );
        assert_eq!(in_one_line("no ledger"), "no ledger");
        assert_eq!(
            in_one_line("no \u{1b}[31mledger\u{7}\tat\u{2028}nörth"),
            "no \\u{1b}[31mledger\\u{7}\\tat\\u{2028}nörth"
        );
    }
}
