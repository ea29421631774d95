use std::mem;

use serde::Serialize;

use crate::codec::{Codec, CodecError};
use crate::{BytesMut, sealed};

/// How a transport consumes the bytes it publishes: it reads them ([`Lend`]) or keeps them
/// ([`Take`]).
///
/// The framework produces each payload in the form its publisher declared; the choice is a type
/// and costs no branch. A wrapper generic over publishers forwards the form with
/// `type Payload = P::Payload` and never looks into it.
///
/// The vocabulary is closed at two.
pub trait PayloadForm: sealed::PayloadForm + Send + Sync + 'static {
    /// The payload as the publisher receives it.
    type Form<'a>: AsRef<[u8]> + Send + From<&'a [u8]>;

    /// Encodes `value`: into `buf`, cleared, where the bytes are lent from it; into a buffer of its
    /// own where they are given away.
    #[doc(hidden)]
    fn encode<'b, C: Codec, T: Serialize>(
        codec: &C,
        value: &T,
        buf: &'b mut BytesMut,
    ) -> Result<Self::Form<'b>, CodecError>;

    /// As [`encode`](Self::encode), for a value that writes or lends its own bytes.
    #[doc(hidden)]
    fn fill<'b, E>(
        buf: &'b mut BytesMut,
        write: impl FnOnce(&mut BytesMut) -> Result<Filled<'b>, E>,
    ) -> Result<Self::Form<'b>, E>;

    /// Puts the payload where a pipeline may look at it, without a copy.
    #[doc(hidden)]
    fn hold(form: Self::Form<'_>) -> HeldPayload<'_>;

    /// Takes the payload back out. Costs a copy only where a publisher keeps bytes that were lent.
    #[doc(hidden)]
    fn release<'a>(held: &'a mut HeldPayload<'_>) -> Self::Form<'a>;
}

/// The transport reads the bytes during the call and keeps nothing of them.
///
/// The publisher receives `&[u8]`. This is nearly every wire protocol: the bytes go into a frame, a
/// batch or a socket buffer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Lend;

/// The transport's client keeps the bytes past the call.
///
/// The publisher receives [`BytesMut`], the very buffer the codec wrote: `Vec::from(buf)` costs
/// nothing, `buf.freeze()` one block.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Take;

/// Where a value that produces its own bytes put them.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub enum Filled<'b> {
    /// They are the whole content of the buffer it was handed.
    InBuffer,
    /// It lends what it already holds; the buffer is untouched.
    Own(&'b [u8]),
}

/// A payload of either form while stages look at it and replace it.
#[doc(hidden)]
#[derive(Debug, Clone)]
pub enum HeldPayload<'a> {
    /// Bytes that somebody else holds.
    Lent(&'a [u8]),
    /// Bytes of its own.
    Owned(BytesMut),
}

impl HeldPayload<'_> {
    /// The bytes.
    #[inline]
    pub fn as_slice(&self) -> &[u8] {
        match self {
            Self::Lent(bytes) => bytes,
            Self::Owned(buf) => buf,
        }
    }
}

impl sealed::PayloadForm for Lend {}

impl PayloadForm for Lend {
    type Form<'a> = &'a [u8];

    #[inline]
    fn encode<'b, C: Codec, T: Serialize>(
        codec: &C,
        value: &T,
        buf: &'b mut BytesMut,
    ) -> Result<&'b [u8], CodecError> {
        buf.clear();
        codec.encode_into(value, buf)?;
        Ok(buf)
    }

    #[inline]
    fn fill<'b, E>(
        buf: &'b mut BytesMut,
        write: impl FnOnce(&mut BytesMut) -> Result<Filled<'b>, E>,
    ) -> Result<&'b [u8], E> {
        buf.clear();
        Ok(match write(buf)? {
            Filled::InBuffer => buf,
            Filled::Own(bytes) => bytes,
        })
    }

    #[inline]
    fn hold(form: Self::Form<'_>) -> HeldPayload<'_> {
        HeldPayload::Lent(form)
    }

    #[inline]
    fn release<'a>(held: &'a mut HeldPayload<'_>) -> &'a [u8] {
        held.as_slice()
    }
}

impl sealed::PayloadForm for Take {}

impl PayloadForm for Take {
    type Form<'a> = BytesMut;

    #[inline]
    fn encode<C: Codec, T: Serialize>(
        codec: &C,
        value: &T,
        _buf: &mut BytesMut,
    ) -> Result<BytesMut, CodecError> {
        codec.encode(value)
    }

    #[inline]
    fn fill<'b, E>(
        _buf: &'b mut BytesMut,
        write: impl FnOnce(&mut BytesMut) -> Result<Filled<'b>, E>,
    ) -> Result<BytesMut, E> {
        let mut own = BytesMut::new();
        Ok(match write(&mut own)? {
            Filled::InBuffer => own,
            Filled::Own(bytes) => BytesMut::from(bytes),
        })
    }

    #[inline]
    fn hold(form: Self::Form<'_>) -> HeldPayload<'_> {
        HeldPayload::Owned(form)
    }

    #[inline]
    fn release(held: &mut HeldPayload<'_>) -> BytesMut {
        match held {
            HeldPayload::Lent(bytes) => BytesMut::from(*bytes),
            HeldPayload::Owned(buf) => mem::take(buf),
        }
    }
}
