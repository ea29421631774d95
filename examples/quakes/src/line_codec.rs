//! JSON, with what this feed calls a line.

use std::error::Error;
use std::str;

use ruststream::BytesMut;
use ruststream::codec::{Codec, CodecError, JsonCodec};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The longest line that is read, in bytes.
pub(crate) const LONGEST: usize = 1024 * 1024;

/// JSON that refuses, with a reason of its own, a line that is too long, blank, not UTF-8 or no
/// object.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LineCodec;

impl Codec for LineCodec {
    const CONTENT_TYPE: &'static str = JsonCodec::CONTENT_TYPE;

    fn encode<T: Serialize>(&self, value: &T) -> Result<BytesMut, CodecError> {
        JsonCodec.encode(value)
    }

    fn encode_into<T: Serialize>(&self, value: &T, buf: &mut BytesMut) -> Result<(), CodecError> {
        JsonCodec.encode_into(value, buf)
    }

    fn decode<T: DeserializeOwned>(&self, line: &[u8]) -> Result<T, CodecError> {
        if line.len() > LONGEST {
            return refuse(format!("the line is longer than {LONGEST} bytes"));
        }
        match line.trim_ascii_start().first() {
            None => return refuse("the line is empty"),
            Some(b'{') => {}
            // Serde would take the fields of a struct from an array, by their order.
            Some(_) => return refuse("the line is no JSON object"),
        }
        // JSON alone wouldn't look into the fields that it skips.
        if let Err(error) = str::from_utf8(line) {
            return refuse(error);
        }
        JsonCodec.decode(line).map_err(in_one_line)
    }
}

fn refuse<T>(reason: impl Into<Box<dyn Error + Send + Sync>>) -> Result<T, CodecError> {
    Err(CodecError::Decode(reason.into()))
}

/// JSON counts lines inside of the payload, which is one line; the line of the feed is another.
fn in_one_line(error: CodecError) -> CodecError {
    match error {
        CodecError::Decode(reason) => {
            let told = reason.to_string();
            CodecError::Decode(told.replace(" at line 1 column ", " at column ").into())
        }
        other => other,
    }
}
