//! What the service reads, and how fast.

use std::time::{Duration, Instant};

use crate::support::{WEEK, event, file, quakes, quakes_over, stderr, stdout};

#[test]
fn the_bundled_week_comes_to_its_numbers() {
    let output = quakes(&[]).output().unwrap();

    assert_eq!(output.status.code(), Some(0));
    assert_eq!(stdout(&output), WEEK);
    assert_eq!(stderr(&output).matches("M ").count(), 85);
    assert!(!stderr(&output).contains("WARN"));
}

#[test]
fn the_word_run_may_be_left_out() {
    let bare = std::process::Command::new(env!("CARGO_BIN_EXE_quakes"))
        .output()
        .unwrap();

    assert_eq!(stdout(&bare), WEEK);
}

#[test]
fn without_a_terminal_progress_is_plain_lines() {
    let output = quakes(&[]).output().unwrap();

    for received in [250, 500, 1500] {
        let line = format!("{received} received");
        assert!(stderr(&output).lines().any(|told| told == line));
    }
    assert!(!stderr(&output).contains(['\r', '\u{1b}']));
}

#[test]
fn another_file_is_read_in_its_place() {
    let week = file(
        "another.ndjson",
        format!("{}\n{}", event("se", "4.5"), event("no", "4.4")).as_bytes(),
    );

    let output = quakes(&["--file", week.to_str().unwrap()])
        .output()
        .unwrap();

    assert_eq!(output.status.code(), Some(0));
    assert_eq!(
        stdout(&output),
        "2 received, 2 handled, 0 dropped, 1 alerts\ntop networks: no 1, se 1\n"
    );
    assert_eq!(stderr(&output), "M 4.5  here  (se1)\n");
}

#[test]
fn standard_input_is_a_feed() {
    let week = include_bytes!("../../data/quakes.ndjson");

    let output = quakes_over(week, &[]);

    assert_eq!(output.status.code(), Some(0));
    assert_eq!(stdout(&output), WEEK);
}

#[test]
fn an_empty_feed_is_a_run_of_nothing() {
    let output = quakes_over(b"", &[]);

    assert_eq!(output.status.code(), Some(0));
    assert_eq!(
        stdout(&output),
        "0 received, 0 handled, 0 dropped, 0 alerts\n"
    );
}

#[test]
fn the_rate_slows_the_feed_down() {
    let lines = format!("{}\n", event("se", "1")).repeat(6);

    let began = Instant::now();
    let output = quakes_over(lines.as_bytes(), &["--rate", "20"]);

    // Five pauses between six lines.
    assert!(began.elapsed() >= Duration::from_millis(250));
    assert!(stdout(&output).starts_with("6 received, 6 handled,"));
}
