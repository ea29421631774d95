//! Codecs: how values become payload bytes and back.

#[cfg(feature = "cbor")]
mod cbor;
mod choice;
#[cfg(feature = "json")]
mod json;
#[cfg(feature = "msgpack")]
mod msgpack;
mod spare;
#[cfg(feature = "json")]
mod text;
#[cfg(any(feature = "json", feature = "cbor", feature = "msgpack"))]
mod writer;

use std::error::Error;

use serde::Serialize;
use serde::de::DeserializeOwned;

#[cfg(feature = "cbor")]
pub use cbor::CborCodec;
#[doc(hidden)]
pub use choice::{NamedCodec, SurfaceCodec};
#[cfg(feature = "json")]
pub use json::JsonCodec;
#[cfg(feature = "msgpack")]
pub use msgpack::MsgpackCodec;
#[doc(hidden)]
pub use spare::give_back;

use crate::BytesMut;

/// The codec of a mount that names none: JSON, else CBOR, else `MessagePack`, by the features that
/// are on. Without any of them it does not exist.
#[cfg(feature = "json")]
pub type DefaultCodec = JsonCodec;

/// The codec of a mount that names none: JSON, else CBOR, else `MessagePack`, by the features that
/// are on. Without any of them it does not exist.
#[cfg(all(feature = "cbor", not(feature = "json")))]
pub type DefaultCodec = CborCodec;

/// The codec of a mount that names none: JSON, else CBOR, else `MessagePack`, by the features that
/// are on. Without any of them it does not exist.
#[cfg(all(feature = "msgpack", not(feature = "json"), not(feature = "cbor")))]
pub type DefaultCodec = MsgpackCodec;

/// Turns values into bytes and back.
///
/// A codec is synchronous and stateless, a type chosen at the mount. Work that needs I/O, such as a
/// schema registry, belongs to a publish layer or to the broker's delivery path.
///
/// # Examples
///
/// A codec over another one, with a version byte in front:
///
/// ```
/// use ruststream_core::BytesMut;
/// use ruststream_core::codec::{Codec, CodecError};
/// use serde::{Serialize, de::DeserializeOwned};
///
/// struct Versioned<C>(C);
///
/// impl<C: Codec> Codec for Versioned<C> {
///     const CONTENT_TYPE: &'static str = C::CONTENT_TYPE;
///
///     fn encode<T: Serialize>(&self, value: &T) -> Result<BytesMut, CodecError> {
///         let mut buf = BytesMut::new();
///         self.encode_into(value, &mut buf)?;
///         Ok(buf)
///     }
///
///     fn encode_into<T: Serialize>(&self, value: &T, buf: &mut BytesMut) -> Result<(), CodecError> {
///         buf.extend_from_slice(&[1]);
///         self.0.encode_into(value, buf)
///     }
///
///     fn decode<T: DeserializeOwned>(&self, bytes: &[u8]) -> Result<T, CodecError> {
///         match bytes {
///             [1, rest @ ..] => self.0.decode(rest),
///             _ => Err(CodecError::Decode("not version 1".into())),
///         }
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a codec: name one of `ruststream::codec`, such as `JsonCodec`",
    label = "values are not encoded or decoded with this",
    note = "name a codec: `JsonCodec`, `CborCodec` or `MsgpackCodec` of `ruststream::codec`, or a type that implements `Codec`"
)]
pub trait Codec: Send + Sync {
    /// The media type the document reports. No header is written from it.
    const CONTENT_TYPE: &'static str = "application/octet-stream";

    /// Encodes `value` into a buffer of its own, which a publisher may keep.
    ///
    /// # Errors
    ///
    /// [`CodecError::Encode`] with the format's own error as its source.
    fn encode<T: Serialize>(&self, value: &T) -> Result<BytesMut, CodecError>;

    /// Appends the encoded `value` to what `buf` holds.
    ///
    /// # Errors
    ///
    /// [`CodecError::Encode`]; the content of `buf` is then unspecified and to be discarded.
    fn encode_into<T: Serialize>(&self, value: &T, buf: &mut BytesMut) -> Result<(), CodecError> {
        buf.extend_from_slice(&self.encode(value)?);
        Ok(())
    }

    /// Decodes a value that owns its data.
    ///
    /// # Errors
    ///
    /// [`CodecError::Decode`] with the format's own error as its source.
    fn decode<T: DeserializeOwned>(&self, bytes: &[u8]) -> Result<T, CodecError>;
}

/// Why a value could not be encoded or decoded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CodecError {
    /// The value could not be turned into bytes.
    #[error("encode failed: {0}")]
    Encode(#[source] Box<dyn Error + Send + Sync>),

    /// The bytes are not the value.
    #[error("decode failed: {0}")]
    Decode(#[source] Box<dyn Error + Send + Sync>),
}
