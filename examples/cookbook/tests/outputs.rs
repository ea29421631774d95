//! Runs every program, and compares what it prints with the `.out` file beside it.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;
use std::{env, fs, io, thread};

/// A program that takes longer hangs.
const PATIENCE: Duration = Duration::from_mins(1);

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples")
}

/// The programs, by their names.
fn programs() -> BTreeSet<String> {
    names_of("rs")
}

fn names_of(extension: &str) -> BTreeSet<String> {
    fs::read_dir(folder())
        .expect("the folder of the programs")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .map(|path| path.file_stem().expect("a name").to_string_lossy().into())
        .collect()
}

/// Where Cargo puts the examples: in the folder beside that of the tests.
fn executable(program: &str) -> PathBuf {
    let test = env::current_exe().expect("the path of this test");
    let profile = test.ancestors().nth(2).expect("the folder of the profile");
    let path = profile.join("examples").join(program);
    path.with_extension(env::consts::EXE_EXTENSION)
}

/// Sends what `from` says once it ends.
fn listen(mut from: impl Read + Send + 'static) -> mpsc::Receiver<String> {
    let (said, hears) = mpsc::channel();
    thread::spawn(move || {
        let mut text = Vec::new();
        let _ = from.read_to_end(&mut text);
        let _ = said.send(String::from_utf8_lossy(&text).into_owned());
    });
    hears
}

/// What a program printed, or what it said instead of ending well.
fn run(program: &str) -> io::Result<Result<String, String>> {
    let mut child = Command::new(executable(program))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let printed = listen(child.stdout.take().expect("piped"));
    let told = listen(child.stderr.take().expect("piped"));
    let printed = printed.recv_timeout(PATIENCE);
    if printed.is_err() {
        child.kill()?;
    }
    let status = child.wait()?;
    Ok(match printed {
        Ok(printed) if status.success() => Ok(printed),
        Ok(_) => Err(format!("{status}\n{}", told.recv().unwrap_or_default())),
        Err(_) => Err(format!("it did not end within {PATIENCE:?}")),
    })
}

/// What is wrong with a program, if anything.
fn fault(program: &str) -> Option<String> {
    let expected = fs::read_to_string(folder().join(program).with_extension("out"));
    match (run(program), expected) {
        (Ok(Ok(printed)), Ok(expected)) if printed == expected => None,
        (Ok(Ok(printed)), Ok(expected)) => {
            Some(format!("{program} printed\n{printed}and not\n{expected}"))
        }
        (Ok(Err(told)), _) => Some(format!("{program}: {told}")),
        (Err(error), _) => Some(format!(
            "{program}: {error}: `cargo test -p cookbook` builds the programs"
        )),
        (_, Err(error)) => Some(format!("{program}.out: {error}")),
    }
}

#[test]
fn every_program_prints_what_its_file_says() {
    let faults: Vec<_> = programs()
        .into_iter()
        .map(|program| thread::spawn(move || fault(&program)))
        .collect();

    let faults: Vec<_> = faults
        .into_iter()
        .filter_map(|fault| fault.join().expect("no panic"))
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn no_output_and_no_line_of_the_table_is_missing_or_left_over() {
    let table = fs::read_to_string(folder().join("../../README.md")).expect("the table");
    let listed = table
        .split("(cookbook/examples/")
        .skip(1)
        .map(|link| link.split(".rs)").next().unwrap_or_default().to_owned());

    assert_eq!(listed.collect::<BTreeSet<_>>(), programs());
    assert_eq!(names_of("out"), programs());
}

#[test]
fn every_program_begins_with_what_it_shows() {
    for program in programs() {
        let path = folder().join(&program).with_extension("rs");
        let text = fs::read_to_string(path).expect("a program");
        assert!(text.starts_with("//! "), "{program}");
    }
}
