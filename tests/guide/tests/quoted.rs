//! The errors that "When something does not work" quotes: each is what the compiler says of some misuse.

use std::fs;
use std::path::{Path, PathBuf};

const PAGE: &str = include_str!("../../../docs/guide/troubleshooting.md");

/// What the compiler says, for every misuse that the crates hold to its message.
fn snapshots(directory: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(directory).expect("readable") {
        let path: PathBuf = entry.expect("readable").path();
        if path.is_dir() {
            snapshots(&path, found);
        } else if path.extension().is_some_and(|name| name == "stderr") {
            found.push(fs::read_to_string(path).expect("a text"));
        }
    }
}

/// The quotations in the first column of the first table.
fn quotations() -> Vec<&'static str> {
    let table = PAGE.split("| The error says |").nth(1).expect("the table");
    let rows = table.lines().skip(2);
    let rows = rows.take_while(|line| line.starts_with('|'));
    rows.map(|row| {
        let (fence, row) = match row.strip_prefix("| ``") {
            Some(row) => ("``", row),
            None => ("`", row.strip_prefix("| `").expect("a quotation")),
        };
        row.split(fence).next().expect("at least one part")
    })
    .collect()
}

#[test]
fn every_quoted_error_is_one() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    for crate_ in ["crates/ruststream/tests/ui", "tests/no-codec/tests/ui"] {
        snapshots(&root.join(crate_), &mut found);
    }

    let quotations = quotations();
    assert!(quotations.len() > 10);
    for quotation in quotations {
        let said = found.iter().any(|text| text.contains(quotation));
        assert!(said, "the compiler says nowhere: {quotation}");
    }
}
