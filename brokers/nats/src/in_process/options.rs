//! What the transport takes from the client's options.

use async_nats::ConnectOptions;

use crate::error::NatsError;

/// The options that change what a test sees. All others are about the connection itself.
///
/// NATS-G6: credentials, TLS and permissions are among those others, so an app with a wrong password
/// starts here. Live: `a_wrong_password_is_a_connect_error_and_forbidden_subjects_are_silent`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Honoured {
    pub(super) no_echo: bool,
    pub(super) inbox_prefix: String,
}

impl Honoured {
    /// NOTE: the client has no getters for them, only a `Debug` that states both. Were that to
    /// change, the connect fails; a default would make tests lie.
    pub(super) fn of(options: &ConnectOptions) -> Result<Self, NatsError> {
        let stated = format!("{options:?}");
        let no_echo = match after(&stated, r#""no_echo": "#) {
            Some(rest) if rest.starts_with("true") => Some(true),
            Some(rest) if rest.starts_with("false") => Some(false),
            _ => None,
        };
        let inbox_prefix = after(&stated, r#""inbox_prefix": ""#)
            .and_then(|rest| rest.split_once('"'))
            .map(|(prefix, _)| prefix)
            .filter(|prefix| !prefix.contains('\\'));
        match (no_echo, inbox_prefix) {
            (Some(no_echo), Some(inbox_prefix)) => Ok(Self {
                no_echo,
                inbox_prefix: inbox_prefix.to_owned(),
            }),
            _ => Err(NatsError::connect(
                "the client's options do not state `no_echo` and the inbox prefix, which the \
                 in-process transport follows",
            )),
        }
    }
}

fn after<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.split_once(key).map(|(_, rest)| rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    // NATS-900
    #[test]
    fn both_options_are_read_as_they_were_set() {
        let set = ConnectOptions::new()
            .no_echo()
            .custom_inbox_prefix("desk.inbox");

        let honoured = Honoured::of(&set).expect("stated");

        let expected = Honoured {
            no_echo: true,
            inbox_prefix: "desk.inbox".to_owned(),
        };
        assert_eq!(honoured, expected);
        let unset = Honoured::of(&ConnectOptions::new()).expect("stated");
        let expected = Honoured {
            no_echo: false,
            inbox_prefix: "_INBOX".to_owned(),
        };
        assert_eq!(unset, expected);
    }

    // NATS-900
    #[test]
    fn a_name_that_looks_like_an_option_changes_nothing() {
        let set = ConnectOptions::new().name(r#"x", "no_echo": true, "inbox_prefix": "y"#);

        assert!(!Honoured::of(&set).expect("stated").no_echo);
    }
}
