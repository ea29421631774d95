use serde::Serialize;
use serde::de::DeserializeOwned;

use super::writer::{BufferWriter, encode_fresh};
use super::{Codec, CodecError};
use crate::BytesMut;

/// `MessagePack`: a struct is an array, without field names. Bytes after the value are ignored.
#[derive(Debug, Clone, Copy, Default)]
pub struct MsgpackCodec;

impl Codec for MsgpackCodec {
    const CONTENT_TYPE: &'static str = "application/msgpack";

    #[inline]
    fn encode<T: Serialize>(&self, value: &T) -> Result<BytesMut, CodecError> {
        encode_fresh(self, value)
    }

    #[inline]
    fn encode_into<T: Serialize>(&self, value: &T, buf: &mut BytesMut) -> Result<(), CodecError> {
        rmp_serde::encode::write(&mut BufferWriter(buf), value)
            .map_err(|error| CodecError::Encode(error.into()))
    }

    #[inline]
    fn decode<T: DeserializeOwned>(&self, bytes: &[u8]) -> Result<T, CodecError> {
        rmp_serde::from_slice(bytes).map_err(|error| CodecError::Decode(error.into()))
    }
}
