//! The crate that "Writing a broker" writes, and its tests.

include!(concat!(env!("OUT_DIR"), "/broker.rs"));
