//! The command `ruststream` as a process: what it hands to cargo, its exit codes, what it prints.
//!
//! The binary plays every part: with `PART` set it is the command, or the cargo that the command
//! finds on its `PATH`; without it it checks.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{self, Command, ExitCode, Output};

const PART: &str = "PART";

fn main() -> ExitCode {
    let name = env::args_os().next().unwrap_or_default();
    let named_cargo = Path::new(&name)
        .file_stem()
        .is_some_and(|name| name == "cargo");
    match env::var(PART).as_deref() {
        Ok(part) if named_cargo => cargo(part),
        Ok(_) => ruststream_cli::tool::main(),
        Err(_) => checks(),
    }
}

/// A cargo that shows what it was handed, or fails, or takes its time.
fn cargo(part: &str) -> ExitCode {
    match part {
        "fails" => ExitCode::from(101),
        "waits" => {
            println!("serving");
            // The end of standard input stands for the end of the service.
            let _ = std::io::stdin().read_line(&mut String::new());
            println!("stopped in order");
            ExitCode::SUCCESS
        }
        _ => {
            let args: Vec<_> = env::args().skip(1).collect();
            println!("{}", args.join(" "));
            eprintln!("Compiling");
            ExitCode::SUCCESS
        }
    }
}

fn checks() -> ExitCode {
    let checks: &[(&str, fn())] = &[
        ("cargo_is_handed_the_command", cargo_is_handed_the_command),
        (
            "a_cargo_that_fails_is_told_with_its_status",
            a_cargo_that_fails_is_told_with_its_status,
        ),
        ("a_missing_cargo_is_told", a_missing_cargo_is_told),
        (
            "a_wrong_argument_is_one_line_and_2",
            a_wrong_argument_is_one_line_and_2,
        ),
        (
            "help_and_version_are_on_standard_output",
            help_and_version_are_on_standard_output,
        ),
        #[cfg(unix)]
        (
            "an_interrupt_leaves_the_service_to_stop",
            an_interrupt_leaves_the_service_to_stop,
        ),
        (
            "a_new_service_says_what_comes_next",
            a_new_service_says_what_comes_next,
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

/// A directory of this process, gone with the value.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = env::temp_dir().join(format!("ruststream-tool-{name}-{}", process::id()));
        fs::create_dir(&path).unwrap();
        Self(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The command, beside a cargo that plays `part`.
fn ruststream(bin: &Scratch, part: &str, args: &[&str]) -> Command {
    let (this, cargo) = (env::current_exe().unwrap(), bin.0.join("cargo"));
    let cargo = cargo.with_extension(env::consts::EXE_EXTENSION);
    // The two may be on different file systems.
    fs::hard_link(&this, &cargo)
        .or_else(|_| fs::copy(&this, &cargo).map(drop))
        .unwrap();
    let mut command = Command::new(env::current_exe().unwrap());
    command.env(PART, part).env("PATH", &bin.0).args(args);
    command
}

fn run(part: &str, args: &[&str]) -> Output {
    let bin = Scratch::new("run");
    ruststream(&bin, part, args).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).unwrap()
}

// CLI-14, CLI-16, CLI-17: the streams are inherited, so a document arrives clean.
fn cargo_is_handed_the_command() {
    for (args, handed) in [
        (
            &["run", "--rate", "3"][..],
            "run --manifest-path ./Cargo.toml -- run --rate 3\n",
        ),
        (
            &[
                "asyncapi",
                "gen",
                "-p",
                "/x/Other.toml",
                "--release",
                "--yaml",
            ],
            "run --manifest-path /x/Other.toml --release -- asyncapi gen --yaml\n",
        ),
    ] {
        let output = run("shows", args);

        assert_eq!(output.status.code(), Some(0));
        assert_eq!(text(&output.stdout), handed);
        assert_eq!(text(&output.stderr), "Compiling\n");
    }
}

// CLI-16
fn a_cargo_that_fails_is_told_with_its_status() {
    let output = run("fails", &["run"]);

    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        text(&output.stderr),
        "ruststream: cargo failed: exit status: 101\n"
    );
}

// CLI-16
fn a_missing_cargo_is_told() {
    let nothing = Scratch::new("nothing");
    let mut command = Command::new(env::current_exe().unwrap());
    let output = command
        .env(PART, "")
        .env("PATH", &nothing.0)
        .arg("run")
        .output()
        .unwrap();

    assert_eq!(output.status.code(), Some(1));
    let told = text(&output.stderr);
    assert!(
        told.starts_with("ruststream: cargo could not be started: "),
        "{told}"
    );
    assert!(
        told.ends_with("is cargo on PATH?\n") && told.lines().count() == 1,
        "{told}"
    );
}

// CLI-16
fn a_wrong_argument_is_one_line_and_2() {
    for args in [
        &["serve"][..],
        &["asyncapi", "gen", "--yml"],
        &["new"],
        &["run", "-p"],
    ] {
        let output = run("shows", args);

        assert_eq!(output.status.code(), Some(2));
        assert!(output.stdout.is_empty());
        let told = text(&output.stderr);
        assert!(
            told.starts_with("ruststream: ") && told.lines().count() == 1,
            "{told}"
        );
    }
    // Without a command the help that lists them is more use than a line.
    let output = run("shows", &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("Usage: ruststream <COMMAND>"));
}

// CLI-14
fn help_and_version_are_on_standard_output() {
    for args in [&["--help"][..], &["asyncapi", "gen", "-h"], &["--version"]] {
        let output = run("shows", args);

        assert_eq!(output.status.code(), Some(0));
        assert!(text(&output.stdout).contains("ruststream"));
        assert!(output.stderr.is_empty());
    }
}

// CLI-14: the terminal interrupts both, and the service's answer is the one that counts.
#[cfg(unix)]
fn an_interrupt_leaves_the_service_to_stop() {
    use std::io::{BufRead as _, BufReader};
    use std::process::Stdio;

    let bin = Scratch::new("interrupt");
    let mut child = ruststream(&bin, "waits", &["run"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut told = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(told.next().unwrap().unwrap(), "serving");

    let id = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &id])
            .status()
            .unwrap()
            .success()
    );
    drop(child.stdin.take());

    assert_eq!(told.next().unwrap().unwrap(), "stopped in order");
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

// CLI-18
fn a_new_service_says_what_comes_next() {
    let place = Scratch::new("new");
    let new = || {
        let bin = Scratch::new("new-bin");
        ruststream(&bin, "shows", &["new", "demo"])
            .current_dir(&place.0)
            .output()
            .unwrap()
    };

    let output = new();
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stdout).contains("cd demo\n    cargo test\n    cargo run -- run\n"));
    assert!(place.0.join("demo/Cargo.toml").is_file());

    let output = new();
    assert_eq!(output.status.code(), Some(1));
    let told = text(&output.stderr);
    assert!(
        told.starts_with("ruststream: `demo` is not empty"),
        "{told}"
    );
    assert_eq!(told.lines().count(), 1);
}
