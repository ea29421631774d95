//! What the README quotes is what the sources say.

use std::fs;
use std::path::Path;

fn files_in(directory: &str) -> Vec<String> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join(directory);
    let entries = fs::read_dir(directory).expect("readable");
    let paths = entries.map(|entry| entry.expect("readable").path());
    let rust = paths.filter(|path| path.extension().is_some_and(|name| name == "rs"));
    rust.map(|path| fs::read_to_string(path).expect("a text"))
        .collect()
}

#[test]
fn every_quotation_is_verbatim() {
    let sources = ["src", "tests", "tests/topic"].map(files_in).concat();
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

#[test]
fn the_crate_and_its_server_take_under_400_lines() {
    let sources = files_in("src").concat();
    let lines = sources.lines().map(str::trim);
    let code = lines.filter(|line| !line.is_empty() && !line.starts_with("//"));
    assert!((1..400).contains(&code.count()));
}
