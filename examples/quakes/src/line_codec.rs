//! JSON, with what this feed calls a line.

use std::str;

use ruststream::BytesMut;
use ruststream::codec::{Codec, CodecError, JsonCodec};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The longest line that is read, in bytes.
pub(crate) const LONGEST: usize = 1024 * 1024;

/// JSON that refuses, with a reason of its own, a line that is too long, blank or not UTF-8.
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
            return Err(CodecError::Decode(
                format!("the line is longer than {LONGEST} bytes").into(),
            ));
        }
        if line.trim_ascii().is_empty() {
            return Err(CodecError::Decode("the line is empty".into()));
        }
        // JSON alone wouldn't look into the fields that it skips.
        str::from_utf8(line).map_err(|error| CodecError::Decode(error.into()))?;
        JsonCodec.decode(line)
    }
}
