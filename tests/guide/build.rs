//! Makes the crate that "Writing a broker" writes: the blocks of that page, put after each other.

use std::path::Path;
use std::{env, fs};

const PAGE: &str = "../../docs/guide/writing-a-broker.md";

fn main() {
    println!("cargo::rerun-if-changed={PAGE}");
    let page = fs::read_to_string(PAGE).expect("the page");
    let blocks = page.split("```rust\n").skip(1);
    let code: Vec<_> = blocks.filter_map(|text| text.split("```").next()).collect();
    let out = env::var_os("OUT_DIR").expect("set by cargo");
    fs::write(Path::new(&out).join("broker.rs"), code.join("\n")).expect("writable");
}
