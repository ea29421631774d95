//! Subjects: their tokens, what a pattern matches, and what the protocol lets through.

/// The token that stands in a redelivery address for whatever a pattern leaves open.
pub(crate) const RETRY_TOKEN: &str = "ruststream-retry";

/// The longest subject in bytes: what a server's line, 4096 unless configured, holds with a reply
/// subject and lengths beside it.
///
/// A longer line makes the server close the connection, and again each time the client subscribes
/// anew. No server says how long its lines are.
pub(crate) const LONGEST: usize = 4000;

/// The longest name of a stream or a consumer that a server takes.
const LONGEST_NAME: usize = 255;

/// Whether a subject, or a group's name, fits between the spaces of a protocol line.
pub(crate) fn fits_the_protocol(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= LONGEST
        && !text
            .bytes()
            .any(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\n'))
}

/// Whether any token is a wildcard.
pub(crate) fn is_pattern(subject: &str) -> bool {
    subject.split('.').any(|token| token == "*" || token == ">")
}

/// Whether the server opens a subscription on it: no empty token, and `>` only at the end.
pub(crate) fn is_subscribable(subject: &str) -> bool {
    let mut tokens = subject.split('.').peekable();
    fits_the_protocol(subject)
        && std::iter::from_fn(|| tokens.next().map(|token| (token, tokens.peek().is_none())))
            .all(|(token, last)| !token.is_empty() && (token != ">" || last))
}

/// A subject as an error shows it: the beginning of a long one.
pub(crate) fn shown(subject: &str) -> String {
    const SHOWN: usize = 200;
    let end = subject.char_indices().nth(SHOWN).map(|(at, _)| at);
    match end {
        Some(end) => format!("{}..", subject[..end].escape_debug()),
        None => subject.escape_debug().to_string(),
    }
}

/// Whether the server takes it as the name of a stream or a consumer.
pub(crate) fn is_name(name: &str) -> bool {
    (1..=LONGEST_NAME).contains(&name.len())
        && !name
            .chars()
            .any(|c| c.is_whitespace() || matches!(c, '.' | '*' | '>' | '/' | '\\'))
}

/// Whether a subscription to `pattern` hears a publish to `subject`, whose tokens are all literal.
///
/// `subject` with an empty token reaches nobody.
#[cfg(any(test, feature = "testing"))]
pub(crate) fn matches(pattern: &str, subject: &str) -> bool {
    let mut wanted = pattern.split('.');
    let mut given = subject.split('.');
    loop {
        match (wanted.next(), given.next()) {
            (Some(">"), Some(first)) => {
                return !first.is_empty() && given.all(|token| !token.is_empty());
            }
            (Some("*"), Some(token)) if !token.is_empty() => {}
            (Some(wanted), Some(given)) if wanted == given && !given.is_empty() => {}
            (None, None) => return true,
            _ => return false,
        }
    }
}

/// A literal subject that both patterns match; what they leave open is [`RETRY_TOKEN`].
pub(crate) fn within_both(one: &str, other: &str) -> Option<String> {
    let mut literal: Vec<&str> = Vec::new();
    let mut one = one.split('.');
    let mut other = other.split('.');
    loop {
        match (one.next(), other.next()) {
            (None, None) => return Some(literal.join(".")),
            (Some(">"), Some(rest)) => {
                literal.push(settled(rest));
                literal.extend(other.map(settled));
                return Some(literal.join("."));
            }
            (Some(rest), Some(">")) => {
                literal.push(settled(rest));
                literal.extend(one.map(settled));
                return Some(literal.join("."));
            }
            (Some("*"), Some(token)) | (Some(token), Some("*")) => literal.push(settled(token)),
            (Some(one), Some(other)) if one == other => literal.push(one),
            _ => return None,
        }
    }
}

fn settled(token: &str) -> &str {
    match token {
        "*" | ">" => RETRY_TOKEN,
        literal => literal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // NATS-905
    #[test]
    fn a_pattern_matches_whole_tokens_at_its_own_level() {
        let table = [
            ("bays.*", "bays.7", true),
            ("bays.*", "bays", false),
            ("bays.*", "bays.7.door", false),
            ("*", "bays", true),
            ("bays*", "bays*", true),
            ("bays*", "bays7", false),
            ("bays.*", "bays.*", true),
            ("Bays", "bays", false),
            ("bays.>", "bays.7.door", true),
            ("bays.>", "bays", false),
            ("bays.*.>", "bays.7", false),
            (">", "bays.7", true),
            ("bays.7", "bays.*", false),
            ("v1:bays.*", "v1:bays.7", true),
            ("a.*.b", "a..b", false),
            ("a.>", "a..b", false),
            ("*.a", ".a", false),
        ];
        for (pattern, subject, expected) in table {
            assert_eq!(
                matches(pattern, subject),
                expected,
                "{pattern} on {subject}"
            );
        }
    }

    // NATS-905, NATS-F45
    #[test]
    fn a_subscription_has_no_empty_token_and_its_rest_comes_last() {
        for good in [
            "a",
            "a.b",
            "a.*",
            "a.>",
            ">",
            "*",
            "foo*",
            "a>b.c",
            "v1:bays.*",
        ] {
            assert!(is_subscribable(good), "{good}");
        }
        for bad in ["", "a..b", ".a", "a.", "a.>.b", "a b", "a\tb", "a\r\nb"] {
            assert!(!is_subscribable(bad), "{bad:?}");
        }
    }

    // NATS-41, NATS-102
    #[test]
    fn a_subject_is_no_longer_than_a_line_holds_and_shown_by_its_beginning() {
        let longest = "x".repeat(LONGEST);
        assert!(fits_the_protocol(&longest) && is_subscribable(&longest));
        let beyond = format!("{longest}x");
        assert!(!fits_the_protocol(&beyond) && !is_subscribable(&beyond));

        assert_eq!(shown(&beyond), format!("{}..", "x".repeat(200)));
        assert_eq!(shown("a\r\n"), "a\\r\\n");
    }

    // NATS-41
    #[test]
    fn a_wildcard_is_a_whole_token() {
        assert!(is_pattern("a.*") && is_pattern(">") && is_pattern("a.*.b"));
        assert!(!is_pattern("foo*") && !is_pattern("a.b") && !is_pattern("a.b>"));
    }

    // NATS-53
    #[test]
    fn the_intersection_of_two_patterns_is_a_subject_that_both_match() {
        let table = [
            (
                "accounts.*",
                "accounts.>",
                Some("accounts.ruststream-retry"),
            ),
            (
                "accounts.>",
                "accounts.*.state",
                Some("accounts.ruststream-retry.state"),
            ),
            ("*.state", "accounts.*", Some("accounts.state")),
            (">", ">", Some("ruststream-retry")),
            ("a.*", "b.*", None),
            ("a.*", "a.*.c", None),
            ("a.>", "a", None),
        ];
        for (one, other, expected) in table {
            let found = within_both(one, other);
            assert_eq!(found.as_deref(), expected, "{one} and {other}");
            assert_eq!(within_both(other, one), found, "{other} and {one}");
            let found = found.iter();
            found.for_each(|subject| assert!(matches(one, subject) && matches(other, subject)));
        }
    }

    // NATS-906
    #[test]
    fn a_stream_or_consumer_name_has_neither_dots_nor_wildcards_nor_slashes() {
        assert!(is_name("LEDGER") && is_name("book-1_x"));
        assert!(is_name(&"x".repeat(LONGEST_NAME)) && !is_name(&"x".repeat(LONGEST_NAME + 1)));
        for bad in ["", "a b", "a.b", "a*", ">", "a/b", "a\\b", "a\tb"] {
            assert!(!is_name(bad), "{bad:?}");
        }
    }
}
