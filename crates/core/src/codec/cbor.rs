use serde::Serialize;
use serde::de::DeserializeOwned;

use super::writer::{BufferWriter, encode_fresh};
use super::{Codec, CodecError};
use crate::BytesMut;

/// CBOR: a struct is a map. Bytes after the value are ignored.
#[derive(Debug, Clone, Copy, Default)]
pub struct CborCodec;

/// Up to this size, a document gets room of this size to be read to.
const SHORT: usize = 256;

impl Codec for CborCodec {
    const CONTENT_TYPE: &'static str = "application/cbor";

    #[inline]
    fn encode<T: Serialize>(&self, value: &T) -> Result<BytesMut, CodecError> {
        encode_fresh(self, value)
    }

    #[inline]
    fn encode_into<T: Serialize>(&self, value: &T, buf: &mut BytesMut) -> Result<(), CodecError> {
        ciborium::into_writer(value, BufferWriter(buf))
            .map_err(|error| CodecError::Encode(error.into()))
    }

    #[inline]
    fn decode<T: DeserializeOwned>(&self, bytes: &[u8]) -> Result<T, CodecError> {
        // What is read to is zeroed first, and no text is longer than its document.
        if bytes.len() <= SHORT {
            ciborium::de::from_reader_with_buffer(bytes, &mut [0; SHORT])
        } else {
            ciborium::from_reader(bytes)
        }
        .map_err(|error| CodecError::Decode(error.into()))
    }
}
