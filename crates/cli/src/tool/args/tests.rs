use std::ffi::OsStr;

use super::*;

fn parsed(line: &str) -> Result<Asked, Refusal> {
    parse(["ruststream"].into_iter().chain(line.split_whitespace()))
}

fn cargo(line: &str) -> String {
    match parsed(line) {
        Ok(Asked::Cargo(arguments)) => arguments.join(OsStr::new(" ")).into_string().unwrap(),
        other => panic!("{line}: {other:?}"),
    }
}

fn usage(line: &str) -> String {
    match parsed(line) {
        Err(Refusal::Usage(told)) => told,
        other => panic!("{line}: {other:?}"),
    }
}

// CLI-14, CLI-15
#[test]
fn a_command_is_cargo_run_of_the_services_own() {
    for (line, arguments) in [
        ("run", "run --manifest-path ./Cargo.toml -- run"),
        (
            "run --release",
            "run --manifest-path ./Cargo.toml --release -- run",
        ),
        ("run -p src", "run --manifest-path src/Cargo.toml -- run"),
        (
            "run --manifest-path ../a/Other.toml",
            "run --manifest-path ../a/Other.toml -- run",
        ),
        (
            "asyncapi gen",
            "run --manifest-path ./Cargo.toml -- asyncapi gen",
        ),
        (
            "asyncapi gen --yaml --release -p src -o spec.yaml",
            "run --manifest-path src/Cargo.toml --release -- asyncapi gen -o spec.yaml --yaml",
        ),
        (
            "asyncapi gen --out ../spec.json",
            "run --manifest-path ./Cargo.toml -- asyncapi gen -o ../spec.json",
        ),
    ] {
        assert_eq!(cargo(line), arguments, "{line}");
    }
}

// CLI-15
#[test]
fn what_follows_the_flags_of_run_is_the_services() {
    for (line, passed) in [
        ("run --rate 3", "-- run --rate 3"),
        (
            "run --release file --release -p x",
            "--release -- run file --release -p x",
        ),
        ("run -- -p x", "-- run -p x"),
    ] {
        let arguments = cargo(line);
        assert!(arguments.ends_with(passed), "{arguments}");
    }
}

// CLI-15
#[cfg(unix)]
#[test]
fn arguments_need_not_be_text() {
    use std::os::unix::ffi::OsStringExt;

    let odd = || OsString::from_vec(vec![b'r', 0xff]);
    let asked = parse(["ruststream".into(), "run".into(), "-p".into(), odd(), odd()]);

    let Ok(Asked::Cargo(arguments)) = asked else {
        panic!("{asked:?}");
    };
    assert_eq!(arguments[2], odd());
    assert_eq!(*arguments.last().unwrap(), odd());
}

// CLI-16
#[test]
fn a_wrong_argument_is_one_line() {
    for (line, parts) in [
        ("serve", ["'serve'", "subcommand"]),
        ("asyncap", ["'asyncap'", "'asyncapi'"]),
        ("asyncapi print", ["'print'", "subcommand"]),
        ("asyncapi gen --yml", ["'--yml'", "'--yaml'"]),
        ("asyncapi gen spec.json", ["'spec.json'", "unexpected"]),
        ("asyncapi gen -o", ["--out <FILE>", "value is required"]),
        ("new", ["<PATH>", "required"]),
        ("new demo --template kafka", ["'kafka'", "memory, nats"]),
    ] {
        let told = usage(line);
        assert!(
            parts.iter().all(|part| told.contains(part)),
            "{line}: {told}"
        );
        assert!(
            !told.contains('\n') && told.ends_with("try '--help'"),
            "{line}: {told}"
        );
    }
}

// CLI-14
#[test]
fn the_help_of_every_command_fits_80_columns() {
    for line in [
        "--help",
        "run --help",
        "asyncapi --help",
        "asyncapi gen --help",
        "new --help",
    ] {
        let Err(Refusal::Help(help)) = parsed(line) else {
            panic!("{line}");
        };
        for row in help.lines() {
            assert!(row.chars().count() <= 80, "{line}: {row}");
        }
        assert!(help.contains("Usage: ruststream"), "{help}");
    }
    for line in ["", "asyncapi"] {
        assert!(
            matches!(parsed(line), Err(Refusal::Incomplete(_))),
            "{line}"
        );
    }
    let Err(Refusal::Help(version)) = parsed("--version") else {
        panic!();
    };
    assert_eq!(
        version,
        format!("ruststream {}\n", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn a_new_service_begins_with_the_in_process_broker() {
    let asked = |line| match parsed(line) {
        Ok(Asked::New(project)) => project,
        other => panic!("{line}: {other:?}"),
    };

    let project = asked("new a/demo");
    assert_eq!(
        (project.path, project.template),
        ("a/demo".into(), Template::Memory)
    );
    assert_eq!(project.checkout, None);

    let project = asked("new demo -t nats --checkout ../ruststream");
    assert_eq!(project.template, Template::Nats);
    assert_eq!(project.checkout, Some("../ruststream".into()));
}
