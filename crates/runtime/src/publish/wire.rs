//! The two wires a value leaves on: encoded by a codec, or as bytes of its own.

use std::error::Error;

use ruststream_core::codec::CodecError;
use ruststream_core::{BytesMut, Filled, PayloadForm};
use serde::Serialize;
use thiserror::Error;

use super::BoxError;
use super::codec::PublishCodec;

/// A value that puts its own bytes on the wire, with no codec in between.
///
/// The derive of the same name covers a field of bytes and an encode function; this is the form by
/// hand, to which a [`MessageWire`] and a `ReplyShape` implementation belong.
///
/// ```
/// use std::convert::Infallible;
///
/// use ruststream_core::BytesMut;
/// use ruststream_runtime::{MessageWire, Serialized, SerializedWire, WireBytes};
///
/// struct Frame {
///     id: u32,
/// }
///
/// impl Serialized for Frame {
///     type Error = Infallible;
///
///     fn wire_bytes(&self, buf: &mut BytesMut) -> Result<WireBytes<'_>, Infallible> {
///         buf.extend_from_slice(&self.id.to_be_bytes());
///         Ok(WireBytes::InBuffer)
///     }
/// }
///
/// impl MessageWire for Frame {
///     type Wire = SerializedWire;
/// }
/// ```
pub trait Serialized {
    /// Why the value could not be written; [`Infallible`](std::convert::Infallible) where it
    /// already holds its bytes.
    type Error: Error + Send + Sync + 'static;

    /// Lends the value's bytes, or appends them to `buf`, which arrives empty.
    ///
    /// A value that answers [`WireBytes::Own`] must leave `buf` untouched.
    ///
    /// # Errors
    ///
    /// Whatever the value's own encoder fails with; the publish then fails and sends nothing.
    fn wire_bytes(&self, buf: &mut BytesMut) -> Result<WireBytes<'_>, Self::Error>;
}

/// Where the bytes of a [`Serialized`] value are.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum WireBytes<'a> {
    /// The whole buffer the value was handed.
    InBuffer,
    /// Bytes the value holds, lent as they are.
    Own(&'a [u8]),
}

impl<'a> WireBytes<'a> {
    /// The bytes, given the buffer the value wrote to.
    #[must_use]
    pub fn of(self, buf: &'a BytesMut) -> &'a [u8] {
        match self {
            Self::InBuffer => buf,
            Self::Own(bytes) => bytes,
        }
    }
}

/// The failure of a value's own encoder, shown as the error it holds.
#[derive(Debug, Error)]
#[error(transparent)]
pub struct SerializePayloadError(BoxError);

impl SerializePayloadError {
    /// Keeps `source` as the failure.
    #[must_use]
    pub fn new(source: impl Error + Send + Sync + 'static) -> Self {
        Self(Box::new(source))
    }
}

/// What an encode function may return, made one shape.
#[doc(hidden)]
pub trait EncodeOutcome {
    /// The outcome as a result with one error type.
    ///
    /// # Errors
    ///
    /// The encoder's own error, kept as the source.
    fn finish(self) -> Result<(), SerializePayloadError>;
}

impl EncodeOutcome for () {
    fn finish(self) -> Result<(), SerializePayloadError> {
        Ok(())
    }
}

impl<E: Error + Send + Sync + 'static> EncodeOutcome for Result<(), E> {
    fn finish(self) -> Result<(), SerializePayloadError> {
        self.map_err(SerializePayloadError::new)
    }
}

/// Which wire a type leaves on: [`EncodedWire`] or [`SerializedWire`].
///
/// Every `Serialize` type is on the encoded wire, so a type that also declares the other one does
/// not compile.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no wire to leave on: derive `serde::Serialize`, or `Serialized` for its own bytes",
    label = "neither encoded by a codec nor bytes of its own",
    note = "derive `serde::Serialize` and let the codec in force encode it, or derive `Serialized` \
            and let it put its own bytes on the wire"
)]
pub trait MessageWire {
    /// [`EncodedWire`] or [`SerializedWire`].
    type Wire;
}

// A trait of its own carries the message, because the compiler shows the last bound of a chain.
/// A type that a codec encodes.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no wire to leave on: derive `serde::Serialize`, or `Serialized` for its own bytes",
    label = "neither encoded by a codec nor bytes of its own",
    note = "derive `serde::Serialize` and let the codec in force encode it, or derive `Serialized` \
            and let it put its own bytes on the wire"
)]
pub trait EncodedMessage: Serialize {}

#[diagnostic::do_not_recommend]
impl<T: Serialize> EncodedMessage for T {}

#[diagnostic::do_not_recommend]
impl<T: EncodedMessage> MessageWire for T {
    type Wire = EncodedWire;
}

/// The wire of values that a codec encodes.
#[derive(Debug, Clone, Copy)]
pub struct EncodedWire;

/// The wire of values that produce their own bytes.
#[derive(Debug, Clone, Copy)]
pub struct SerializedWire;

/// Produces the payload of a `T` in the form its publisher takes.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "no codec is available to encode `{T}`: turn on the feature `json`, or name one, `.with_codec(..)`",
    label = "nothing names a codec for this publish, and no codec feature is on",
    note = "enable a codec feature of `ruststream` (`json`, `cbor` or `msgpack`)",
    note = "or name a codec for this publish with `.with_codec(..)`",
    note = "or let `{T}` produce its own bytes with `#[derive(Serialized)]`"
)]
pub trait WirePayload<T, Enc> {
    /// The payload, lent from `value` or `buf`, or handed over.
    ///
    /// # Errors
    ///
    /// The codec's failure, or the value's own encoder's.
    fn payload<'v, Form: PayloadForm>(
        value: &'v T,
        codec: &Enc,
        buf: &'v mut BytesMut,
    ) -> Result<Form::Form<'v>, PayloadError>;
}

#[diagnostic::do_not_recommend]
impl<T: Serialize, Enc: PublishCodec> WirePayload<T, Enc> for EncodedWire {
    #[inline]
    fn payload<'v, Form: PayloadForm>(
        value: &'v T,
        codec: &Enc,
        buf: &'v mut BytesMut,
    ) -> Result<Form::Form<'v>, PayloadError> {
        Ok(Form::encode(codec.codec(), value, buf)?)
    }
}

impl<T: Serialized, Enc> WirePayload<T, Enc> for SerializedWire {
    #[inline]
    fn payload<'v, Form: PayloadForm>(
        value: &'v T,
        _codec: &Enc,
        buf: &'v mut BytesMut,
    ) -> Result<Form::Form<'v>, PayloadError> {
        Form::fill(buf, |buf| match value.wire_bytes(buf) {
            Ok(WireBytes::InBuffer) => Ok(Filled::InBuffer),
            Ok(WireBytes::Own(bytes)) => Ok(Filled::Own(bytes)),
            Err(error) => Err(PayloadError::Serialize(Box::new(error))),
        })
    }
}

/// Why a payload could not be produced.
#[doc(hidden)]
#[derive(Debug, Error)]
pub enum PayloadError {
    /// The codec refused the value.
    #[error("encoding the message failed: {0}")]
    Codec(#[from] CodecError),
    /// The value's own encoder refused it.
    #[error("serializing the message's own bytes failed: {0}")]
    Serialize(#[source] BoxError),
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use ruststream_core::{Lend, Take};

    use super::*;
    use crate::publish::PublishExt;
    use crate::publish::testkit::{Held, Recorder, Refused, Written};

    // PUB-132, PUB-130
    #[tokio::test]
    async fn own_bytes_are_lent_at_their_address_and_copied_for_a_publisher_that_keeps_them() {
        let value = Held(b"parcel".to_vec());
        let (lending, taking) = (Recorder::<Lend>::new(), Recorder::<Take>::new());

        lending
            .message(&value)
            .to("a")
            .publish()
            .await
            .expect("publishes");
        taking
            .message(&value)
            .to("a")
            .publish()
            .await
            .expect("publishes");

        assert_eq!(lending.only().payload_at, value.0.as_ptr() as usize);
        let kept = taking.only();
        assert_eq!(kept.payload, b"parcel");
        assert_ne!(kept.payload_at, value.0.as_ptr() as usize);
    }

    // PUB-132
    #[tokio::test]
    async fn written_bytes_leave_in_the_very_buffer_the_value_was_handed() {
        let (lending, taking) = (Recorder::<Lend>::new(), Recorder::<Take>::new());
        let (first, second) = (Written::default(), Written::default());

        lending
            .message(&first)
            .to("a")
            .publish()
            .await
            .expect("publishes");
        taking
            .message(&second)
            .to("a")
            .publish()
            .await
            .expect("publishes");

        assert_eq!(
            lending.only().payload_at,
            first.at.into_inner().expect("unpoisoned")
        );
        assert_eq!(
            taking.only().payload_at,
            second.at.into_inner().expect("unpoisoned")
        );
    }

    // PUB-141
    #[test]
    fn an_encode_function_may_fail_or_not() {
        assert!(().finish().is_ok());
        let outcome: Result<(), Refused> = Err(Refused);
        assert_eq!(outcome.finish().expect_err("fails").to_string(), "refused");
    }

    // CORE-222
    #[test]
    fn an_encoders_failure_is_shown_as_the_error_it_holds() {
        let error = SerializePayloadError::new(Refused);
        assert_eq!(error.to_string(), "refused");
        assert!(
            error.source().is_none(),
            "`Refused` has no source of its own"
        );
    }

    // CORE-221
    #[test]
    fn wire_bytes_are_the_buffer_or_the_values_own() {
        let buf = BytesMut::from(&b"in buffer"[..]);
        assert_eq!(WireBytes::InBuffer.of(&buf), b"in buffer");
        assert_eq!(WireBytes::Own(b"own").of(&buf), b"own");
    }
}
