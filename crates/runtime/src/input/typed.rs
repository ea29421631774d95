//! A handler of decoded values as a handler of raw deliveries (RUN-445).

use std::fmt;
use std::marker::PhantomData;

use ruststream_core::IncomingMessage;
use ruststream_core::codec::Codec;
use serde::de::DeserializeOwned;

use super::Message;
use super::batch_lane::ElementLane;
use super::lane::Refusal;
use crate::deliver::refuse_with;
use crate::extract::Context;
use crate::handler::Handler;
use crate::outcome::HandlerOutcome;
use crate::policy::FailurePolicy;

/// What a [`Typed`] adapter makes of a delivery.
#[doc(hidden)]
pub trait Materialize<DecodeCodec, M>: Send + Sync + 'static {
    /// The value the inner handler takes.
    type Target: Send + Sync + 'static;
    /// Makes it.
    ///
    /// # Errors
    ///
    /// The refusal that the decode policy settles.
    fn materialize(codec: &DecodeCodec, message: &M) -> Result<Self::Target, Refusal>;
}

/// A value decoded by the codec.
#[doc(hidden)]
pub struct Decoded<T>(PhantomData<fn() -> T>);

/// Typed headers and a decoded body.
#[doc(hidden)]
pub struct DecodedPair<H, P>(PhantomData<fn() -> (H, P)>);

impl<T> fmt::Debug for Decoded<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Decoded")
    }
}

impl<H, P> fmt::Debug for DecodedPair<H, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DecodedPair")
    }
}

impl<T, DecodeCodec, M> Materialize<DecodeCodec, M> for Decoded<T>
where
    T: DeserializeOwned + Send + Sync + 'static,
    DecodeCodec: Codec,
    M: IncomingMessage,
{
    type Target = T;
    fn materialize(codec: &DecodeCodec, message: &M) -> Result<T, Refusal> {
        super::Batch::<T>::element(codec, message)
    }
}

impl<H, P, DecodeCodec, M> Materialize<DecodeCodec, M> for DecodedPair<H, P>
where
    H: DeserializeOwned + Send + Sync + 'static,
    P: DeserializeOwned + Send + Sync + 'static,
    DecodeCodec: Codec,
    M: IncomingMessage,
{
    type Target = Message<H, P>;
    fn materialize(codec: &DecodeCodec, message: &M) -> Result<Message<H, P>, Refusal> {
        super::BatchPair::<H, P>::element(codec, message)
    }
}

/// A handler of raw deliveries that decodes for an inner handler of values.
///
/// For subscribers mounted with `scope.handle(..)`; a definition decodes by itself.
pub struct Typed<M, Input, DecodeCodec, Inner> {
    codec: DecodeCodec,
    inner: Inner,
    decode: FailurePolicy,
    input: PhantomData<fn() -> (M, Input)>,
}

impl<M, Input, DecodeCodec, Inner> Typed<M, Input, DecodeCodec, Inner> {
    /// Decodes with `codec` for `inner`; a delivery that does not decode is dropped.
    #[must_use]
    pub fn over(codec: DecodeCodec, inner: Inner) -> Self
    where
        Input: Materialize<DecodeCodec, M>,
    {
        Self {
            codec,
            inner,
            decode: FailurePolicy::Drop,
            input: PhantomData,
        }
    }

    /// Settles a delivery that does not decode by `decode`.
    #[must_use]
    pub fn on_decode_failure(mut self, decode: FailurePolicy) -> Self {
        self.decode = decode;
        self
    }
}

impl<M, Input, DecodeCodec, Inner> fmt::Debug for Typed<M, Input, DecodeCodec, Inner> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Typed")
            .field("decode", &self.decode)
            .finish_non_exhaustive()
    }
}

impl<M, Input, DecodeCodec, Inner, Cx, St> Handler<M, Cx, St>
    for Typed<M, Input, DecodeCodec, Inner>
where
    M: IncomingMessage,
    Input: Materialize<DecodeCodec, M>,
    DecodeCodec: Send + Sync,
    Cx: Send,
    St: Send + Sync,
    Inner: Handler<Input::Target, Cx, St>,
{
    async fn handle(&self, message: &M, ctx: &mut Context<'_, Cx, St>) -> HandlerOutcome {
        match Input::materialize(&self.codec, message) {
            Ok(value) => self.inner.handle(&value, ctx).await,
            Err(refusal) => refuse_with(&refusal, self.decode, ctx),
        }
    }
}

/// [`Typed::over`] a codec and a handler of one decoded value.
///
/// ```
/// use ruststream_core::codec::{Codec, CodecError};
/// # use ruststream_core::BytesMut;
/// use ruststream_runtime::{Context, HandlerOutcome, typed};
/// # struct Plain;
/// # impl Codec for Plain {
/// #     fn encode<T: serde::Serialize>(&self, _: &T) -> Result<BytesMut, CodecError> { Ok(BytesMut::new()) }
/// #     fn decode<T: serde::de::DeserializeOwned>(&self, _: &[u8]) -> Result<T, CodecError> { Err(CodecError::Decode("no".into())) }
/// # }
/// # fn mount<M: ruststream_core::IncomingMessage>() {
/// let counted = typed::<M, u64, _, _>(Plain, |parcels: &u64, _: &mut Context<'_>| {
///     let counted = *parcels > 0;
///     async move { if counted { HandlerOutcome::ack() } else { HandlerOutcome::drop() } }
/// });
/// # let _ = counted;
/// # }
/// ```
pub fn typed<M, T, C, H>(codec: C, inner: H) -> Typed<M, Decoded<T>, C, H>
where
    M: IncomingMessage,
    T: DeserializeOwned + Send + Sync + 'static,
    C: Codec,
{
    Typed::over(codec, inner)
}
