//! Arguments that are none.

use crate::support::{event, file, quakes, quakes_without_run, stderr, stdout};

fn refused(args: &[&str]) -> String {
    let output = quakes(args).output().unwrap();
    assert_ne!(output.status.code(), Some(0));
    assert_eq!(stdout(&output), "");
    stderr(&output).to_owned()
}

#[test]
fn a_missing_file_is_one_line_that_names_it() {
    assert_eq!(
        refused(&["--file", "no/such.ndjson"]),
        "quakes: cannot open `no/such.ndjson`: No such file or directory (os error 2)\n"
    );
}

#[test]
fn a_folder_is_no_file() {
    let told = refused(&["--file", env!("CARGO_MANIFEST_DIR")]);

    assert!(told.starts_with("quakes: cannot open `"), "{told}");
    assert_eq!(told.lines().count(), 1);
}

#[test]
fn an_unknown_flag_is_named() {
    assert!(refused(&["--speed", "9"]).contains("'--speed'"));
}

#[test]
fn a_rate_is_a_positive_number() {
    for rate in ["0", "fast", "-1", "1.5", "99999999999"] {
        let told = refused(&["--rate", rate]);
        assert!(
            told.starts_with(&format!("error: invalid value '{rate}' for '--rate <N>': ")),
            "{told}"
        );
    }
}

#[cfg(not(feature = "nats"))]
#[test]
fn a_server_needs_the_feature_of_its_broker() {
    let told = refused(&["--nats", "nats://localhost:4222"]);

    assert!(told.contains("--features nats"), "{told}");
}

// `run` is what happens without a command.
#[test]
fn the_options_of_run_need_not_follow_the_word() {
    let feed = file("one.ndjson", event("ci", "1.0").as_bytes());

    let output = quakes_without_run(&["--file", feed.to_str().unwrap(), "--rate", "100"])
        .output()
        .unwrap();

    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).starts_with("1 received, 1 handled,"));
}
