use serde::Serialize;
use serde::de::DeserializeOwned;

use super::text::text;
use super::writer::{BufferWriter, encode_fresh};
use super::{Codec, CodecError};
use crate::BytesMut;

/// JSON: a struct is an object. Bytes after the value are an error.
///
/// # Examples
///
/// ```
/// use ruststream_core::codec::{Codec, JsonCodec};
///
/// let bytes = JsonCodec.encode(&(4, "north"))?;
/// assert_eq!(&bytes[..], br#"[4,"north"]"#);
/// assert_eq!(JsonCodec.decode::<(u8, String)>(&bytes)?, (4, "north".to_owned()));
/// # Ok::<(), ruststream_core::codec::CodecError>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct JsonCodec;

impl Codec for JsonCodec {
    const CONTENT_TYPE: &'static str = "application/json";

    #[inline]
    fn encode<T: Serialize>(&self, value: &T) -> Result<BytesMut, CodecError> {
        encode_fresh(self, value)
    }

    #[inline]
    fn encode_into<T: Serialize>(&self, value: &T, buf: &mut BytesMut) -> Result<(), CodecError> {
        serde_json::to_writer(BufferWriter(buf), value)
            .map_err(|error| CodecError::Encode(error.into()))
    }

    #[inline]
    fn decode<T: DeserializeOwned>(&self, bytes: &[u8]) -> Result<T, CodecError> {
        // One check of the whole text is cheaper than one for each string; where it fails, the slice
        // reader decides, since bytes in a part that is skipped are none of its business.
        match text(bytes) {
            Some(text) => serde_json::from_str(text),
            None => serde_json::from_slice(bytes),
        }
        .map_err(|error| CodecError::Decode(error.into()))
    }
}
