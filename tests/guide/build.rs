//! Makes of each page what rustdoc runs.
//!
//! A reader sees no more of a block than what it is about. What it takes besides to compile, and what shows that it is
//! true, stands around it in comments: `<!-- before` and `<!-- after`. Here they become hidden lines of the block,
//! each page as long as it was, so that a failure names the line of the page.

use std::path::{Path, PathBuf};
use std::{env, fs};

const PAGES: &str = "../../docs/guide";

fn main() {
    println!("cargo::rerun-if-changed={PAGES}");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("set by cargo"));
    for page in fs::read_dir(PAGES).expect("the pages") {
        let path = page.expect("readable").path();
        let page = fs::read_to_string(&path).expect("a text");
        if path.ends_with("writing-a-broker.md") {
            write(&out.join("broker.rs"), &code(&page));
        } else if let Some(name) = path.file_name() {
            write(&out.join(name), &uncovered(&page));
        }
    }
}

fn write(path: &Path, text: &str) {
    fs::write(path, text).expect("writable");
}

/// The blocks of the one page that is a crate, put after each other.
fn code(page: &str) -> String {
    let blocks = page.split("```rust\n").skip(1);
    let blocks: Vec<_> = blocks.filter_map(|text| text.split("```").next()).collect();
    blocks.join("\n")
}

/// A page whose comments are hidden lines of its blocks.
fn uncovered(page: &str) -> String {
    let mut lines = page.lines().peekable();
    let mut uncovered = Vec::new();
    while let Some(line) = lines.next() {
        if line == "<!-- before" {
            let hidden = hidden(&mut lines);
            let fence = lines.next().expect("a block after `<!-- before`");
            assert!(fence.starts_with("```rust"), "no block, but `{fence}`");
            uncovered.push(fence.to_owned());
            uncovered.extend(hidden);
        } else if line == "```" && lines.peek() == Some(&"<!-- after") {
            lines.next();
            uncovered.extend(hidden(&mut lines));
            uncovered.push(line.to_owned());
        } else {
            assert!(line != "<!-- after", "no block before `<!-- after`");
            uncovered.push(line.to_owned());
        }
    }
    uncovered.join("\n")
}

/// The lines of a comment, hidden, and two more for those that begin and end it.
fn hidden<'l>(lines: &mut impl Iterator<Item = &'l str>) -> Vec<String> {
    let lines = lines.take_while(|line| *line != "-->");
    let mut hidden: Vec<_> = lines.map(|line| format!("# {line}")).collect();
    hidden.extend(["#".to_owned(), "#".to_owned()]);
    hidden
}
