//! Starting the service and reading what it says.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// What is printed for the bundled week.
pub(crate) const WEEK: &str = "1707 received, 1679 handled, 28 dropped, 85 alerts\n\
                               top networks: ci 386, nc 370, ak 297\n";

/// One event, as a line without its line feed.
pub(crate) fn event(network: &str, magnitude: &str) -> String {
    format!(
        r#"{{"id":"{network}1","mag":{magnitude},"place":"here","type":"earthquake","net":"{network}"}}"#
    )
}

/// `quakes run` with these arguments, on no input, with all that it prints kept.
pub(crate) fn quakes(args: &[&str]) -> Command {
    let mut command = quakes_without_run(&["run"]);
    command.args(args);
    command
}

/// `quakes` with these arguments and no command.
pub(crate) fn quakes_without_run(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quakes"));
    command
        .args(args)
        .env_remove("RUST_LOG")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Runs `quakes run --file -` over `input`.
pub(crate) fn quakes_over(input: &[u8], args: &[&str]) -> Output {
    let mut child = quakes(&["--file", "-"])
        .args(args)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    child.wait_with_output().unwrap()
}

/// A file of the test's own.
pub(crate) fn file(name: &str, content: &[u8]) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, content).unwrap();
    path
}

pub(crate) fn stdout(output: &Output) -> &str {
    str::from_utf8(&output.stdout).unwrap()
}

pub(crate) fn stderr(output: &Output) -> &str {
    str::from_utf8(&output.stderr).unwrap()
}
