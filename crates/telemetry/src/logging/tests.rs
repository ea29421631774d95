use std::error::Error as _;
use std::ffi::OsStr;

use super::*;

// OBS-01, OBS-05
#[test]
fn a_terminal_gets_colours_unless_it_wants_none() {
    assert!(colours(true, None));
    assert!(colours(true, Some(OsStr::new(""))));
    assert!(!colours(true, Some(OsStr::new("1"))));
    assert!(!colours(false, None));
}

// OBS-01
#[test]
fn the_defaults_are_info_targets_and_the_terminals_colours() {
    let defaults = Logging::default();

    assert_eq!(defaults.default_filter, "info");
    assert_eq!((defaults.ansi, defaults.target), (None, true));
    assert_eq!(format!("{defaults:?}"), format!("{:?}", Logging::new()));

    let set = defaults
        .with_default_filter("warn")
        .with_ansi(true)
        .with_target(false);
    assert_eq!(set.default_filter, "warn");
    assert_eq!((set.ansi, set.target), (Some(true), false));
}

// OBS-03
#[test]
fn an_unreadable_default_filter_is_refused() {
    let refused = Logging::new()
        .with_default_filter("info,depot=loud")
        .try_init();

    let Err(error @ LoggingInitError::Filter(_)) = refused else {
        panic!("{refused:?}");
    };
    assert!(error.source().unwrap().is::<ParseError>());
    assert!(error.to_string().contains("default log filter"), "{error}");
}
