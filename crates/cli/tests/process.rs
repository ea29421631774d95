//! A service as a process: its exit codes, what it prints, the signals that stop it.
//!
//! The binary is both sides: with `DEPOT` set it's the service that the variable describes.

use std::env;
use std::io;
use std::process::{Command, ExitCode, Output};

use ruststream_cli::{AppRuntime, run_main, run_main_on};
use ruststream_runtime::{App, AppInfo, RustStream};

const DEPOT: &str = "DEPOT";

// CLI-06: its own `main`, which does something first.
fn main() -> ExitCode {
    match env::var(DEPOT).as_deref() {
        Ok("fails") => run_main(failing),
        Ok("panics") => run_main(panicking),
        Ok(_) => run_main_on(AppRuntime::CurrentThread, serving),
        Err(_) => checks(),
    }
}

fn serving() -> impl App {
    RustStream::new(AppInfo::new("depot", "1.0.0")).after_startup(async |_| {
        println!("ready");
        Ok::<_, io::Error>(())
    })
}

fn failing() -> impl App {
    tracing::info!("building");
    RustStream::new(AppInfo::new("depot", "1.0.0"))
        .on_startup(async |()| Err::<(), _>(io::Error::other("no ledger")))
}

fn panicking() -> impl App {
    assert!(env::var(DEPOT).is_err(), "no ledger");
    serving()
}

fn checks() -> ExitCode {
    let checks: &[(&str, fn())] = &[
        (
            "a_failed_run_is_one_line_and_exit_code_1",
            a_failed_run_is_one_line_and_exit_code_1,
        ),
        (
            "a_refused_command_is_one_line_and_exit_code_1",
            a_refused_command_is_one_line_and_exit_code_1,
        ),
        (
            "help_is_all_that_standard_output_gets",
            help_is_all_that_standard_output_gets,
        ),
        #[cfg(feature = "asyncapi")]
        (
            "a_document_is_all_that_standard_output_gets",
            a_document_is_all_that_standard_output_gets,
        ),
        (
            "a_panic_in_the_builder_keeps_its_own_exit_code",
            a_panic_in_the_builder_keeps_its_own_exit_code,
        ),
        #[cfg(feature = "logging")]
        (
            "run_logs_from_the_builder_on_and_no_other_command_does",
            run_logs_from_the_builder_on_and_no_other_command_does,
        ),
        #[cfg(unix)]
        (
            "a_signal_stops_the_service_with_exit_code_0",
            a_signal_stops_the_service_with_exit_code_0,
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

fn depot(kind: &str, args: &[&str]) -> Command {
    let mut command = Command::new(env::current_exe().unwrap());
    command.env(DEPOT, kind).env("RUST_LOG", "off").args(args);
    command
}

fn told(output: &Output) -> String {
    assert!(output.stdout.is_empty());
    String::from_utf8(output.stderr.clone()).unwrap()
}

// CLI-12
fn a_failed_run_is_one_line_and_exit_code_1() {
    for args in [&[][..], &["run", "--rate", "3"]] {
        let output = depot("fails", args).output().unwrap();

        assert_eq!(output.status.code(), Some(1));
        assert_eq!(
            told(&output),
            "ruststream: startup hook failed: no ledger\n"
        );
    }
}

// CLI-07, CLI-11, CLI-12, CLI-13
fn a_refused_command_is_one_line_and_exit_code_1() {
    for (args, named) in [
        (&["serve"][..], "`serve`"),
        (&["--rate", "3"], "follow `run`"),
        (&["asyncapi"], "`asyncapi` is no command by itself"),
        (&["asyncapi", "print"], "`print`"),
        (&["asyncapi", "gen", "-o"], "`-o` lacks its file"),
        (&["asyncapi", "gen", "--json"], "`--json`"),
        #[cfg(not(feature = "asyncapi"))]
        (&["asyncapi", "gen"], "feature `asyncapi`"),
        #[cfg(feature = "asyncapi")]
        (
            &["asyncapi", "gen", "-o", "no-such-place/spec.json"],
            "`no-such-place/spec.json`",
        ),
    ] {
        let output = depot("serves", args).output().unwrap();

        assert_eq!(output.status.code(), Some(1));
        let line = told(&output);
        assert!(
            line.starts_with("ruststream: ") && line.contains(named),
            "{line}"
        );
        assert_eq!(line.lines().count(), 1);
    }
}

// CLI-07: the builder of this service panics.
fn help_is_all_that_standard_output_gets() {
    for args in [&["--help"][..], &["-h"], &["help"], &["asyncapi", "--help"]] {
        let output = depot("panics", args).output().unwrap();

        assert_eq!(output.status.code(), Some(0));
        assert!(output.stderr.is_empty());
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.starts_with("Usage: process-"), "{text}");
        assert!(text.contains("\n  run  ") && text.contains("\n  asyncapi gen  "));
    }
}

// CLI-07, CLI-08, CLI-10
#[cfg(feature = "asyncapi")]
fn a_document_is_all_that_standard_output_gets() {
    for (args, begin) in [
        (&["asyncapi", "gen"][..], "{\n  \"asyncapi\": \"3.1.0\",\n"),
        (&["asyncapi", "gen", "--yaml"], "asyncapi: 3.1.0\n"),
        (&["asyncapi", "gen", "--html"], "<!DOCTYPE html>"),
    ] {
        let output = depot("serves", args).output().unwrap();

        assert_eq!(output.status.code(), Some(0));
        assert!(output.stderr.is_empty());
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.starts_with(begin) && text.ends_with('\n'), "{text}");
    }
}

// CLI-07, CLI-08, trap 3
#[cfg(feature = "logging")]
fn run_logs_from_the_builder_on_and_no_other_command_does() {
    let told_by = |args: &[&str]| {
        let output = depot("fails", args).env("RUST_LOG", "").output().unwrap();
        String::from_utf8(output.stderr).unwrap()
    };

    let told = told_by(&["run"]);
    let lines: Vec<_> = told.lines().collect();
    assert_eq!(lines.len(), 3, "{told}");
    assert!(lines[0].ends_with(" INFO process building"), "{told}");
    assert!(lines[1].contains(" INFO ruststream::lifecycle starting service service=depot"));
    assert_eq!(lines[2], "ruststream: startup hook failed: no ledger");

    let told = told_by(&["asyncapi", "gen"]);
    assert!(!told.contains("building"), "{told}");
}

// CLI-12
fn a_panic_in_the_builder_keeps_its_own_exit_code() {
    let output = depot("panics", &["run"]).output().unwrap();

    assert_eq!(output.status.code(), Some(101));
    assert!(told(&output).contains("no ledger"));
}

// CLI-09
#[cfg(unix)]
fn a_signal_stops_the_service_with_exit_code_0() {
    use std::io::{BufRead as _, BufReader};
    use std::process::Stdio;

    for signal in ["-INT", "-TERM"] {
        let mut child = depot("serves", &["run"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut ready = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut ready)
            .unwrap();
        assert_eq!(ready, "ready\n");

        let id = child.id().to_string();
        assert!(
            Command::new("kill")
                .args([signal, &id])
                .status()
                .unwrap()
                .success()
        );

        assert_eq!(child.wait().unwrap().code(), Some(0));
    }
}
