//! Signals in the middle of a run.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, Command, Stdio};

use crate::support::{event, quakes};

/// Waits for the first alert, sends the signal, and answers what was printed to standard output
/// and, after the alert, to standard error.
fn interrupted(mut child: Child, signal: &str) -> (String, String) {
    let mut told = BufReader::new(child.stderr.take().unwrap());
    let mut alert = String::new();
    told.read_line(&mut alert).unwrap();
    assert!(alert.starts_with("M 5.3"), "{alert}");

    let id = child.id().to_string();
    assert!(
        Command::new("kill")
            .args([signal, &id])
            .status()
            .unwrap()
            .success()
    );

    let (mut summary, mut rest) = (String::new(), String::new());
    child
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut summary)
        .unwrap();
    told.read_to_string(&mut rest).unwrap();
    // CLI-12: a stop is no failure.
    assert_eq!(child.wait().unwrap().code(), Some(0));
    (summary, rest)
}

/// The number before a word of the summary.
fn count(summary: &str, what: &str) -> u64 {
    let before = summary.split_once(what).unwrap().0;
    before
        .split_whitespace()
        .next_back()
        .unwrap()
        .parse()
        .unwrap()
}

// CLI-09, RUN-073
#[test]
fn a_signal_in_the_middle_settles_what_is_in_hand_and_prints_the_summary() {
    for signal in ["-INT", "-TERM"] {
        let child = quakes(&["--rate", "25"]).spawn().unwrap();

        let (summary, rest) = interrupted(child, signal);

        let received = count(&summary, "received");
        assert!((3..1707).contains(&received), "{summary}");
        assert_eq!(
            received,
            count(&summary, "handled") + count(&summary, "dropped")
        );
        assert!(rest.contains("stopped by a signal"), "{rest}");
        assert!(!summary.contains("undecodable") && !rest.contains("WARN"));
    }
}

// CLI-09
#[test]
fn a_silent_standard_input_does_not_hold_up_the_end() {
    let mut child = quakes(&["--file", "-"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut feed = child.stdin.take().unwrap();
    writeln!(feed, "{}", event("se", "5.3")).unwrap();

    let (summary, _) = interrupted(child, "-TERM");

    assert_eq!(
        summary,
        "1 received, 1 handled, 0 dropped, 1 alerts\ntop networks: se 1\n"
    );
    drop(feed);
}
