//! The live form of an encoded reply position.

use std::fmt;

use ruststream_core::codec::Codec;
use ruststream_core::{HeaderMap, PayloadForm, Publisher};
use serde::Serialize;
use tokio::sync::Mutex;

use crate::publish::{BatchTransformIdentity, PublishTransformIdentity};

/// A paired reply publisher with its codec and transforms.
#[doc(hidden)]
pub struct TypedPublisher<P, C, PL = PublishTransformIdentity, BL = BatchTransformIdentity> {
    pub(crate) publisher: P,
    pub(crate) codec: C,
    pub(crate) transforms: PL,
    pub(crate) batch_transforms: BL,
}

impl<P, C, PL, BL> fmt::Debug for TypedPublisher<P, C, PL, BL> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TypedPublisher").finish_non_exhaustive()
    }
}

impl<P: Publisher, C: Codec, PL, BL> TypedPublisher<P, C, PL, BL> {
    /// Encodes one value into the payload that the publisher takes.
    #[inline]
    pub(crate) fn encode<'b, T: Serialize>(
        &self,
        value: &T,
        buf: &'b mut bytes::BytesMut,
    ) -> Result<<P::Payload as PayloadForm>::Form<'b>, ruststream_core::codec::CodecError> {
        P::Payload::encode(&self.codec, value, buf)
    }
}

/// A paired reply publisher whose replies of one batch leave in one transaction.
#[doc(hidden)]
pub struct Transactional<P, C, PL = PublishTransformIdentity, BL = BatchTransformIdentity> {
    pub(crate) typed: TypedPublisher<P, C, PL, BL>,
    /// Held from begin to commit: the handle carries one transaction at a time (CORE-151), and
    /// batches of one wiring may be handled at once.
    pub(crate) open: Mutex<()>,
}

impl<P, C, PL, BL> fmt::Debug for Transactional<P, C, PL, BL> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transactional").finish_non_exhaustive()
    }
}

/// The headers that every message of a handle begins with (CORE-124).
#[inline]
pub(crate) fn base_headers<P: Publisher>(publisher: &P) -> HeaderMap {
    publisher.base_headers().cloned().unwrap_or_default()
}
