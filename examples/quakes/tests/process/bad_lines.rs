//! Lines that don't decode.

use crate::support::{event, file, quakes, quakes_over, stderr, stdout};

const TWO_MIB: usize = 2 * 1024 * 1024;

// RUN-302, RUN-303
#[test]
fn each_bad_line_is_one_warning_and_the_good_ones_are_handled() {
    let good = event("ci", "5.1").into_bytes();
    let long = format!(r#"{{"id":"{}"}}"#, "x".repeat(TWO_MIB)).into_bytes();
    let feed = file(
        "bad.ndjson",
        &[
            &good[..],
            br#"{"id":"ci2","mag":4.9,"pla"#,
            b"",
            &long,
            br#"{"id":"ci5","mag":1,"type":"earthquake","net":"ci","felt":{"by":["\u00fc"]}}"#,
            br#"{"id":"ci6","place":"here","type":"earthquake","net":"ci"}"#,
            b"{\"id\":\"ci7\",\"mag\":1,\"note\":\"\xff\",\"type\":\"earthquake\",\"net\":\"ci\"}",
            br#"{"id":"ci8","mag":null,"place":null,"type":"quarry blast","net":"ci"}"#,
            // The fields of an event in the order of the type, which is no event.
            br#"["ci9","ci","here","earthquake",5.1]"#,
            &good,
        ]
        .join(&b'\n'),
    );

    let output = quakes(&["--file", feed.to_str().unwrap()])
        .output()
        .unwrap();

    assert_eq!(output.status.code(), Some(0));
    assert_eq!(
        stdout(&output),
        "10 received, 3 handled, 1 dropped, 2 alerts, 6 undecodable\ntop networks: ci 4\n"
    );
    let told = stderr(&output);
    let warnings: Vec<_> = told.lines().filter(|line| line.contains("WARN")).collect();
    for (line, reason) in [
        (2, "EOF while parsing a string at column 26"),
        (3, "the line is empty"),
        (4, "the line is longer than 1048576 bytes"),
        (6, "missing field `mag`"),
        (7, "invalid utf-8 sequence"),
        (9, "the line is no JSON object"),
    ] {
        let span = format!("delivery{{line={line}}}");
        let about: Vec<_> = warnings
            .iter()
            .filter(|told| told.contains(&span))
            .collect();
        let [warning] = about[..] else {
            panic!("one warning about line {line}: {told}");
        };
        assert!(
            warning.contains("quakes.raw") && warning.contains(reason),
            "{warning}"
        );
        assert!(!warning.contains("at line"), "a second line: {warning}");
    }
    assert_eq!(warnings.len(), 6, "{told}");
    assert!(!told.contains("panicked"));
}

#[test]
fn a_line_of_the_longest_length_is_read() {
    let event = event("ci", "5.1");
    let padding = " ".repeat(1024 * 1024 - event.len());

    let output = quakes_over(
        format!("{event}{padding}\n{event}{padding} \n").as_bytes(),
        &[],
    );

    assert!(stdout(&output).starts_with("2 received, 1 handled,"));
    assert!(stdout(&output).contains(" 1 undecodable"));
}

#[test]
fn any_bytes_at_all_are_survived() {
    let mut bytes: Vec<u8> = (0..=u8::MAX).collect();
    bytes.extend(b"\n\r\n[]\nnull\n{}\n\"");

    let output = quakes_over(&bytes, &[]);

    assert_eq!(output.status.code(), Some(0));
    // The first 256 bytes hold one line feed of their own.
    assert_eq!(
        stdout(&output),
        "7 received, 0 handled, 0 dropped, 0 alerts, 7 undecodable\n"
    );
}
