//! What travels, and how the client is set up: the same for all.

use async_nats::ConnectOptions;
use bytes::{BufMut as _, Bytes, BytesMut};
use ruststream::prelude::*;
use serde::{Deserialize, Serialize};

/// What a body is decoded into, whatever its length: it skips the filler.
#[derive(Debug, Deserialize)]
pub struct Parcel {
    pub id: u64,
    pub quantity: u32,
}

/// What is published.
#[derive(Debug, Serialize, Outgoing)]
pub struct Sent {
    pub id: u64,
    pub quantity: u32,
}

pub const SENT: Sent = Sent {
    id: 1_000_000,
    quantity: 37,
};

/// It, as JSON, in a buffer as the crate takes it; as large at first as `serde_json`'s own.
pub fn encoded() -> BytesMut {
    let mut buffer = BytesMut::with_capacity(128).writer();
    serde_json::to_writer(&mut buffer, &SENT).expect("JSON");
    buffer.into_inner()
}

/// A body of JSON of `length` bytes, or of the least that it takes.
pub fn body(length: usize) -> Bytes {
    let head = r#"{"id":1000000,"quantity":37"#;
    let note = r#","note":""#;
    let filler = length.saturating_sub(head.len() + note.len() + 2);
    if filler == 0 {
        return Bytes::from(format!("{head}}}"));
    }
    Bytes::from(format!("{head}{note}{}\"}}", "x".repeat(filler)))
}

/// No run may lose a message, so the client keeps all that it cannot hand over yet.
pub fn options() -> ConnectOptions {
    ConnectOptions::new().subscription_capacity(1 << 20)
}
