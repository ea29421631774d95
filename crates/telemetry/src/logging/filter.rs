//! Which events are written.

use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::{Directive, ParseError};

/// The filter that `variable` holds, without its unreadable directives; `default` where nothing is
/// left of it. The default must be readable either way, so that a mistake in it is found at once.
pub(super) fn choose(variable: &str, default: &str) -> Result<EnvFilter, ParseError> {
    let builder = EnvFilter::builder();
    let default = builder.parse(default)?;
    let readable: Vec<&str> = variable
        .split(',')
        .map(str::trim)
        .filter(|directive| !directive.is_empty() && directive.parse::<Directive>().is_ok())
        .collect();
    if readable.is_empty() {
        return Ok(default);
    }
    EnvFilter::builder().parse(readable.join(","))
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
