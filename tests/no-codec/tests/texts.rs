//! The first line of each error says what is missing, whatever the rest of the snapshot becomes.

use std::fs;
use std::path::Path;

// RUN-475, PUB-134
#[test]
fn the_first_line_says_what_is_wrong() {
    let texts = [
        (
            "decoded_input",
            "no codec is available to decode this subscriber's input",
        ),
        (
            "decoded_batch",
            "no codec is available to decode this subscriber's input",
        ),
        ("encoded_publish", "no codec is available to encode `Label`"),
        (
            "encoded_publish_in_a_transaction",
            "no codec is available to encode `Label`",
        ),
        (
            "encoded_reply",
            "no codec is available to encode this message",
        ),
        ("slot", "no codec is available here"),
    ];
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui");
    for (case, text) in texts {
        let snapshot = fs::read_to_string(cases.join(case).with_extension("stderr"))
            .unwrap_or_else(|error| panic!("{case}: {error}"));
        let first = snapshot
            .lines()
            .find(|line| line.starts_with("error"))
            .unwrap_or_default();
        assert!(
            first.contains(text),
            "{case}: `{first}` does not say `{text}`"
        );
    }
}

// PUB-134
#[test]
fn a_publish_without_a_codec_is_told_three_ways_out() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui");
    for case in ["encoded_publish", "encoded_publish_in_a_transaction"] {
        let snapshot = fs::read_to_string(cases.join(case).with_extension("stderr"))
            .unwrap_or_else(|error| panic!("{case}: {error}"));
        for way in [
            "enable a codec feature",
            "`.with_codec(..)`",
            "`#[derive(Serialized)]`",
        ] {
            assert!(snapshot.contains(way), "{case} does not say `{way}`");
        }
    }
}
