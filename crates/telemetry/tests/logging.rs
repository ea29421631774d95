//! Logging as a process has it: what lands on standard error, and what `RUST_LOG` does to it.
//!
//! The binary is both sides: with `DEPOT` set it logs as the variable says, without it it checks.

use std::env;
use std::process::{Command, ExitCode, Output};

use ruststream_telemetry::logging::{self, Logging, LoggingInitError};

const DEPOT: &str = "DEPOT";

fn main() -> ExitCode {
    match env::var(DEPOT).as_deref() {
        Ok("plain") => logging::init().unwrap(),
        Ok("list") => Logging::new()
            .with_default_filter("warn,ruststream=debug")
            .with_target(false)
            .try_init()
            .unwrap(),
        Ok("coloured") => Logging::new().with_ansi(true).try_init().unwrap(),
        Ok("unreadable") => {
            let refused = Logging::new()
                .with_default_filter("info,depot=loud")
                .try_init();
            assert!(matches!(refused, Err(LoggingInitError::Filter(_))));
            // Nothing was installed, so the place is free.
            logging::init().unwrap();
        }
        Ok(_) => {
            Logging::new().with_target(false).try_init().unwrap();
            let refused = logging::init().unwrap_err();
            assert!(matches!(refused, LoggingInitError::AlreadyInitialized(_)));
            tracing::info!("{refused}");
        }
        Err(_) => return checks(),
    }
    tracing::debug!(target: "ruststream::dispatch", "delivery received");
    tracing::info!(target: "depot", "door open");
    tracing::warn!(target: "depot", "door ajar");
    ExitCode::SUCCESS
}

fn checks() -> ExitCode {
    let checks: &[(&str, fn())] = &[
        (
            "lines_go_to_standard_error_without_colours_where_it_is_no_terminal",
            lines_go_to_standard_error_without_colours_where_it_is_no_terminal,
        ),
        (
            "the_variable_decides_and_else_the_default",
            the_variable_decides_and_else_the_default,
        ),
        ("a_default_filter_is_a_list", a_default_filter_is_a_list),
        ("colours_can_be_forced", colours_can_be_forced),
        (
            "an_unreadable_default_is_refused_and_installs_nothing",
            an_unreadable_default_is_refused_and_installs_nothing,
        ),
        #[cfg(target_os = "linux")]
        (
            "a_full_disk_harms_nobody_who_logs",
            a_full_disk_harms_nobody_who_logs,
        ),
        (
            "a_second_subscriber_is_refused",
            a_second_subscriber_is_refused,
        ),
    ];
    println!("\nrunning {} tests", checks.len());
    for (name, check) in checks {
        // A check that fails panics, and its exit code is the test's.
        check();
        println!("test {name} ... ok");
    }
    println!("\ntest result: ok. {} passed; 0 failed", checks.len());
    ExitCode::SUCCESS
}

fn run(kind: &str, rust_log: Option<&str>) -> Output {
    let mut command = Command::new(env::current_exe().unwrap());
    command
        .env(DEPOT, kind)
        .env_remove("RUST_LOG")
        .env_remove("NO_COLOR");
    if let Some(filter) = rust_log {
        command.env("RUST_LOG", filter);
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    output
}

/// The lines of a run without their times.
fn lines(kind: &str, rust_log: Option<&str>) -> Vec<String> {
    let told = String::from_utf8(run(kind, rust_log).stderr).unwrap();
    told.lines()
        .filter_map(|line| Some(line.split_once("Z ")?.1.to_owned()))
        .collect()
}

const INFO: &str = " INFO depot door open";
const WARN: &str = " WARN depot door ajar";
const DEBUG: &str = "DEBUG ruststream::dispatch delivery received";

// OBS-01, OBS-02, OBS-05
fn lines_go_to_standard_error_without_colours_where_it_is_no_terminal() {
    assert_eq!(lines("plain", None), [INFO, WARN]);
}

// OBS-03
fn the_variable_decides_and_else_the_default() {
    for (filter, told) in [
        ("", &[INFO, WARN][..]),
        ("depot=loud", &[INFO, WARN]),
        ("warn", &[WARN]),
        ("depot=loud,ruststream=debug", &[DEBUG]),
        ("ruststream::dispatch=debug,depot=warn", &[DEBUG, WARN]),
        ("off", &[]),
    ] {
        assert_eq!(lines("plain", Some(filter)), told, "{filter}");
    }
}

// OBS-02
#[cfg(target_os = "linux")]
fn a_full_disk_harms_nobody_who_logs() {
    let full = std::fs::File::options()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let status = Command::new(env::current_exe().unwrap())
        .env(DEPOT, "plain")
        .env_remove("RUST_LOG")
        .stderr(full)
        .status()
        .unwrap();
    assert!(status.success(), "{status}");
}

// OBS-03, OBS-05
fn a_default_filter_is_a_list() {
    assert_eq!(
        lines("list", None),
        ["DEBUG delivery received", " WARN door ajar"]
    );
    assert_eq!(lines("list", Some("error")), Vec::<String>::new());
}

// OBS-05
fn colours_can_be_forced() {
    let told = String::from_utf8(run("coloured", None).stderr).unwrap();

    assert!(told.contains("\u{1b}[1;33m WARN\u{1b}[0m"), "{told:?}");
}

// OBS-03
fn an_unreadable_default_is_refused_and_installs_nothing() {
    assert_eq!(lines("unreadable", Some("warn")), [WARN]);
}

// OBS-02
fn a_second_subscriber_is_refused() {
    let told = lines("twice", None);

    assert!(
        told[0].contains("has a tracing subscriber already"),
        "{told:?}"
    );
    assert_eq!(told[1..], [" INFO door open", " WARN door ajar"]);
}
