//! Which events are written.

use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::{Directive, LevelFilter, ParseError};

/// Clients whose debug lines hold what they connect with, and whose traces hold payloads.
const TALKATIVE: [&str; 1] = ["async_nats"];

/// The filter that `variable` holds, without its unreadable directives; `default` where nothing is
/// left of it. The default must be readable either way, so that a mistake in it is found at once.
pub(super) fn choose(variable: &str, default: &str) -> Result<EnvFilter, ParseError> {
    let default = EnvFilter::builder().parse(discreet(default))?;
    let readable: Vec<&str> = variable
        .split(',')
        .map(str::trim)
        .filter(|directive| !directive.is_empty() && directive.parse::<Directive>().is_ok())
        .collect();
    if readable.is_empty() {
        return Ok(default);
    }
    EnvFilter::builder().parse(discreet(&readable.join(",")))
}

/// The directives, with a talkative client kept to what it says at `info` where a level that is
/// meant for everything asks for more. One that is named says what it is asked for.
fn discreet(directives: &str) -> String {
    let everything = directives
        .split(',')
        .filter_map(|directive| directive.trim().parse::<LevelFilter>().ok())
        .max();
    let mut directives = directives.to_owned();
    for client in TALKATIVE {
        if everything > Some(LevelFilter::INFO) && !directives.contains(client) {
            directives.extend([",", client, "=info"]);
        }
    }
    directives
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(variable: &str) -> String {
        choose(variable, "warn,ruststream=debug")
            .unwrap()
            .to_string()
    }

    fn read(directives: &str) -> String {
        EnvFilter::builder().parse(directives).unwrap().to_string()
    }

    // OBS-03
    #[test]
    fn the_default_applies_where_the_variable_says_nothing_readable() {
        for variable in ["", " ", ",", "depot=loud", "a=b=c, depot=9"] {
            assert_eq!(
                chosen(variable),
                read("warn,ruststream=debug"),
                "{variable}"
            );
        }
    }

    // OBS-03, OBS-06
    #[test]
    fn a_client_that_tells_credentials_is_asked_by_name() {
        for (variable, kept) in [
            ("debug", "debug,async_nats=info"),
            ("trace,depot=warn", "trace,depot=warn,async_nats=info"),
            ("warn", "warn"),
            ("off", "off"),
            ("depot=debug", "depot=debug"),
            ("debug,async_nats=trace", "debug,async_nats=trace"),
            (
                "debug,async_nats::connector=warn",
                "debug,async_nats::connector=warn",
            ),
        ] {
            assert_eq!(chosen(variable), read(kept), "{variable}");
        }
        let default = choose("", "trace").unwrap().to_string();
        assert_eq!(default, read("trace,async_nats=info"));
    }

    // OBS-03
    #[test]
    fn unreadable_directives_are_skipped_and_the_others_kept() {
        for (variable, kept) in [
            ("error", "error"),
            ("depot=loud,info", "info"),
            ("info, depot::scans=trace ,a=b=c", "info,depot::scans=trace"),
        ] {
            assert_eq!(chosen(variable), read(kept), "{variable}");
        }
    }

    // OBS-03
    #[test]
    fn an_unreadable_default_is_an_error_whatever_the_variable_says() {
        for variable in ["", "info"] {
            assert!(choose(variable, "info,depot=loud").is_err());
        }
    }
}
