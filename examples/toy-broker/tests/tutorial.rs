//! What the README quotes is what the sources say.

use std::fs;
use std::path::Path;

fn files_in(directory: &str) -> Vec<String> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join(directory);
    let entries = fs::read_dir(directory).expect("readable");
    let text = |entry: std::io::Result<fs::DirEntry>| fs::read_to_string(entry?.path());
    entries.map(|entry| text(entry).expect("a text")).collect()
}

#[test]
fn every_quotation_is_verbatim() {
    let sources = [files_in("src"), files_in("tests")].concat();
    let quotations: Vec<_> = include_str!("../README.md")
        .split("```rust\n")
        .skip(1)
        .filter_map(|text| text.split("```").next())
        .collect();

    assert!(quotations.len() > 10);
    for quotation in quotations {
        let quoted = sources.iter().any(|source| source.contains(quotation));
        assert!(quoted, "no source has\n{quotation}");
    }
}
