//! Reading typed headers never panics, and what is written reads back equal.
#![no_main]

use std::collections::BTreeMap;

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use ruststream_core::HeaderMap;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Arbitrary, Serialize, Deserialize)]
enum Lane {
    Fast,
    Slow,
}

#[derive(Debug, Clone, PartialEq, Arbitrary, Serialize, Deserialize)]
struct Meta {
    depot: u32,
    weight: i128,
    fragile: bool,
    letter: char,
    lane: Lane,
    note: String,
    hint: Option<String>,
    gate: Option<u8>,
}

#[derive(Debug, Arbitrary)]
struct Input {
    meta: Meta,
    raw: Vec<(String, Vec<u8>)>,
}

fuzz_target!(|input: Input| {
    let mut map = HeaderMap::new();
    map.insert_typed(&input.meta).expect("a flat contract is written");
    assert_eq!(map.to_typed::<Meta>().expect("and read"), input.meta);

    let raw: HeaderMap = input.raw.into_iter().collect();
    let _ = raw.to_typed::<Meta>();
    let _ = raw.to_typed::<BTreeMap<String, String>>();
    let _ = raw.to_typed::<BTreeMap<String, u64>>();
    let _ = raw.to_typed::<(u8, u8)>();
    let _ = raw.to_typed::<Option<Meta>>();
});
