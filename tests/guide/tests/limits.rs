//! The tests that "Limits" names: each is where the page says.

use std::fs;
use std::path::Path;

const PAGE: &str = include_str!("../../../docs/guide/limits.md");

/// The file and the name of each test in the last column of the tables.
fn named() -> Vec<(&'static str, &'static str)> {
    PAGE.lines()
        .filter_map(|line| {
            let held = line.strip_suffix(" |")?.rsplit("| ").next()?;
            held.strip_prefix('`')?
                .strip_suffix('`')?
                .split_once("`: `")
        })
        .collect()
}

#[test]
fn every_named_test_is_one() {
    let named = named();
    assert_eq!(named.len(), PAGE.matches(".rs`").count());
    assert!(named.len() > 30, "{}", named.len());

    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (file, test) in named {
        let text = fs::read_to_string(root.join(file)).expect(file);
        let found = text.split_once(&format!("fn {test}("));
        let before = found.expect(test).0.trim_end_matches("async ").trim_end();
        let attribute = before.lines().last().unwrap_or_default();
        assert!(attribute.contains("test"), "{test}: {attribute}");
    }
}
