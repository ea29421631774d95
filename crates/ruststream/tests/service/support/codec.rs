//! A codec that no other one reads.

use ruststream::BytesMut;
use ruststream::codec::{Codec, CodecError, JsonCodec};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// JSON, backwards.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Backwards;

impl Codec for Backwards {
    const CONTENT_TYPE: &'static str = "application/nosj";

    fn encode<T: Serialize>(&self, value: &T) -> Result<BytesMut, CodecError> {
        let mut bytes = JsonCodec.encode(value)?;
        bytes.reverse();
        Ok(bytes)
    }

    fn decode<T: DeserializeOwned>(&self, bytes: &[u8]) -> Result<T, CodecError> {
        let bytes: Vec<_> = bytes.iter().rev().copied().collect();
        JsonCodec.decode(&bytes)
    }
}
