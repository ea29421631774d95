//! From a delivery to the body's answer, lane by lane.

use std::any::type_name;
use std::fmt::Display;

use ruststream_core::codec::{Codec, CodecError, NamedCodec};
use ruststream_core::{Carries, IncomingMessage};
use serde::de::DeserializeOwned;

use super::axis::{
    Axis, Batch, BatchCarried, BatchDeserialized, BatchPair, BatchSet, Solo, SoloAxis, SoloCarried,
    SoloDeserialized, SoloPair, SoloSet,
};
use super::{DecodeSet, Deserialized, Input, Message};
use crate::docs::IncomingMessageMetadata;
use crate::extract::Context;
use crate::handle::Handle;
use crate::observe::lent;
use crate::outcome::HandlerOutcome;
use crate::reason::without_values;

/// What came of handing a delivery to its body.
#[doc(hidden)]
#[derive(Debug)]
pub enum Received<R, Bad = HandlerOutcome> {
    /// The body ran.
    Answered(Result<R, Bad>),
    /// The input could not be made; the body did not run.
    Refused(Refusal),
}

/// Why a delivery made no input (RUN-302). Always off the fast path, so it owns its text.
#[doc(hidden)]
#[derive(Debug)]
pub struct Refusal {
    /// What failed.
    pub kind: RefusalKind,
    /// The type that was to be made.
    pub type_name: &'static str,
    /// The failure's own text.
    pub error: String,
}

/// The step of making an input that failed; each has its own log text and fail-fast reason.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalKind {
    /// The broker says that the delivery does not decode.
    Reported,
    /// The codec refused the payload.
    Codec,
    /// The type refused the payload bytes.
    Construction,
    /// The typed headers do not read.
    Headers,
    /// A carried delivery holds no value.
    NoValue,
}

impl Refusal {
    #[cold]
    pub(super) fn new<T: ?Sized>(kind: RefusalKind, error: impl Display) -> Self {
        Self {
            kind,
            type_name: type_name::<T>(),
            error: without_values(&error.to_string()),
        }
    }

    #[cold]
    pub(super) fn reported<T: ?Sized>(error: &CodecError) -> Self {
        Self::new::<T>(RefusalKind::Reported, error)
    }

    /// The reason that a fail-fast decode policy records (RUN-303).
    pub(crate) fn reason(&self) -> String {
        let error = self
            .error
            .strip_prefix("decode failed: ")
            .unwrap_or(&self.error);
        match self.kind {
            RefusalKind::Construction => format!("payload construction failed: {error}"),
            RefusalKind::Headers => format!("header extraction failed: {error}"),
            RefusalKind::NoValue => format!("delivery carries no value: {error}"),
            RefusalKind::Reported | RefusalKind::Codec => format!("decode failed: {error}"),
        }
    }

    /// The one warning of a decode failure (RUN-480).
    #[cold]
    pub(crate) fn log(&self, subscription: &str) {
        let (message_type, error) = (self.type_name, self.error.as_str());
        macro_rules! refused {
            ($field:ident, $text:literal) => {
                tracing::warn!(
                    target: "ruststream::dispatch",
                    subscription = %subscription, $field = message_type, error = %error, $text
                )
            };
        }
        match self.kind {
            RefusalKind::Reported => {
                refused!(
                    message_type,
                    "the broker reports the delivery does not decode"
                );
            }
            RefusalKind::Codec => refused!(message_type, "codec decode failed"),
            RefusalKind::Construction => refused!(message_type, "payload construction failed"),
            RefusalKind::NoValue => refused!(message_type, "the delivery carries no value"),
            RefusalKind::Headers => {
                tracing::warn!(
                    target: "ruststream::dispatch",
                    subscription = %subscription, headers_type = message_type, error = %error,
                    "typed header extraction failed"
                );
            }
        }
    }
}

/// What a lane decodes with, of the codecs that a definition and its surface name (RUN-161).
///
/// A lane without a codec ignores both, so it mounts where no codec exists.
#[doc(hidden)]
pub trait LaneCodec<Named, Surface>: Axis {
    /// The codec, or nothing.
    type Decoder: Clone + Send + Sync + 'static;
    /// The content type that metadata reports.
    const CONTENT_TYPE: Option<&'static str>;
    /// The most specific codec.
    fn decoder(named: &Named, surface: &Surface) -> Self::Decoder;
}

macro_rules! codec_lanes {
    ($($lane:ident <$($p:ident),+>)+) => {$(
        impl<$($p,)+ Named, Surface> LaneCodec<Named, Surface> for $lane<$($p),+>
        where
            Self: Axis,
            Named: NamedCodec<Surface>,
        {
            type Decoder = Named::Codec;
            const CONTENT_TYPE: Option<&'static str> =
                Some(<Named::Codec as Codec>::CONTENT_TYPE);
            fn decoder(named: &Named, surface: &Surface) -> Named::Codec {
                named.over(surface)
            }
        }
    )+};
}

macro_rules! byte_lanes {
    ($($lane:ident <$p:ident>)+) => {$(
        impl<$p, Named, Surface> LaneCodec<Named, Surface> for $lane<$p>
        where
            Self: Axis,
        {
            type Decoder = ();
            const CONTENT_TYPE: Option<&'static str> = None;
            fn decoder(_named: &Named, _surface: &Surface) {}
        }
    )+};
}

codec_lanes! { Solo<T> SoloPair<H, P> SoloSet<S> Batch<T> BatchPair<H, P> BatchSet<S> }
byte_lanes! { SoloDeserialized<F> BatchDeserialized<F> SoloCarried<T> BatchCarried<T> }

/// Makes the input of one delivery and calls the body with it.
#[doc(hidden)]
pub trait SoloLane<Decoder, M, Body, R, O, C, S>: SoloAxis {
    /// The models of a message set.
    fn incoming() -> Vec<IncomingMessageMetadata> {
        Vec::new()
    }
    /// Asks the broker's own report first, then materialises, then runs the body.
    fn receive<'a>(
        decoder: &'a Decoder,
        body: &'a Body,
        message: &'a M,
        outs: &'a O,
        ctx: &'a mut Context<'_, C, S>,
    ) -> impl Future<Output = Received<R>> + Send;
}

impl<T, D, M, B, R, O, C, S> SoloLane<D, M, B, R, O, C, S> for Solo<T>
where
    T: DeserializeOwned + Send + Sync + 'static,
    D: Codec,
    M: IncomingMessage,
    B: Handle<T, R, O, C, S>,
    R: Send,
    O: Sync,
    C: Send,
    S: Sync + Send,
{
    #[inline]
    async fn receive<'a>(
        decoder: &'a D,
        body: &'a B,
        message: &'a M,
        outs: &'a O,
        ctx: &'a mut Context<'_, C, S>,
    ) -> Received<R> {
        let input: T = match decode(decoder, message) {
            Ok(input) => input,
            Err(refusal) => return Received::Refused(refusal),
        };
        Received::Answered(body.handle(&input, outs, ctx).await)
    }
}

impl<Hd, P, D, M, B, R, O, C, S> SoloLane<D, M, B, R, O, C, S> for SoloPair<Hd, P>
where
    Hd: DeserializeOwned + Send + Sync + 'static,
    P: DeserializeOwned + Send + Sync + 'static,
    D: Codec,
    M: IncomingMessage,
    B: Handle<Message<Hd, P>, R, O, C, S>,
    R: Send,
    O: Sync,
    C: Send,
    S: Sync + Send,
{
    #[inline]
    async fn receive<'a>(
        decoder: &'a D,
        body: &'a B,
        message: &'a M,
        outs: &'a O,
        ctx: &'a mut Context<'_, C, S>,
    ) -> Received<R> {
        if let Some(error) = message.decode_error() {
            return Received::Refused(Refusal::reported::<Message<Hd, P>>(error));
        }
        // RUN-381: the delivery's own headers, not the working copy.
        let headers: Hd = match ctx.delivered_headers().to_typed() {
            Ok(headers) => headers,
            Err(error) => {
                return Received::Refused(Refusal::new::<Hd>(RefusalKind::Headers, error));
            }
        };
        let body_value: P = match decode_payload(decoder, message.payload()) {
            Ok(value) => value,
            Err(refusal) => return Received::Refused(refusal),
        };
        let input = Message::new(headers, body_value);
        Received::Answered(body.handle(&input, outs, ctx).await)
    }
}

impl<Set, D, M, B, R, O, C, S> SoloLane<D, M, B, R, O, C, S> for SoloSet<Set>
where
    Set: DecodeSet<D> + Input<Axis = Self>,
    D: Codec,
    M: IncomingMessage,
    B: Handle<Set, R, O, C, S>,
    R: Send,
    O: Sync,
    C: Send,
    S: Sync + Send,
{
    fn incoming() -> Vec<IncomingMessageMetadata> {
        <Set as DecodeSet<D>>::incoming()
    }
    async fn receive<'a>(
        decoder: &'a D,
        body: &'a B,
        message: &'a M,
        outs: &'a O,
        ctx: &'a mut Context<'_, C, S>,
    ) -> Received<R> {
        let input = match decode_set::<Set, D, M>(decoder, message) {
            Ok(input) => input,
            Err(refusal) => return Received::Refused(refusal),
        };
        Received::Answered(body.handle(&input, outs, ctx).await)
    }
}

impl<F, D, M, B, R, O, C, S> SoloLane<D, M, B, R, O, C, S> for SoloDeserialized<F>
where
    F: Deserialized + Send + Sync + 'static,
    for<'p> F::Output<'p>: Input<Axis = Self>,
    D: Sync,
    M: IncomingMessage,
    B: for<'p> Handle<F::Output<'p>, R, O, C, S>,
    R: Send,
    O: Sync,
    C: Send,
    S: Sync + Send,
{
    #[inline]
    async fn receive<'a>(
        _decoder: &'a D,
        body: &'a B,
        message: &'a M,
        outs: &'a O,
        ctx: &'a mut Context<'_, C, S>,
    ) -> Received<R> {
        if let Some(error) = message.decode_error() {
            return Received::Refused(Refusal::reported::<F>(error));
        }
        let made = F::from_payload(message.payload())
            .map_err(|error| Refusal::new::<F>(RefusalKind::Construction, error));
        match made {
            Ok(input) => Received::Answered(body.handle(&input, outs, ctx).await),
            Err(refusal) => Received::Refused(refusal),
        }
    }
}

impl<T, D, M, B, R, O, C, S> SoloLane<D, M, B, R, O, C, S> for SoloCarried<T>
where
    T: Input<Axis = Self> + Clone + Send + Sync + 'static,
    D: Sync,
    M: IncomingMessage + Carries<T>,
    B: Handle<T, R, O, C, S>,
    R: Send,
    O: Sync,
    C: Send,
    S: Sync + Send,
{
    #[inline]
    async fn receive<'a>(
        _decoder: &'a D,
        body: &'a B,
        message: &'a M,
        outs: &'a O,
        ctx: &'a mut Context<'_, C, S>,
    ) -> Received<R> {
        if let Some(error) = message.decode_error() {
            return Received::Refused(Refusal::reported::<T>(error));
        }
        match message.carried() {
            Some(value) => {
                lent(value);
                Received::Answered(body.handle(value, outs, ctx).await)
            }
            None => Received::Refused(no_value::<T>()),
        }
    }
}

#[inline]
pub(super) fn decode<T, D, M>(decoder: &D, message: &M) -> Result<T, Refusal>
where
    T: DeserializeOwned,
    D: Codec,
    M: IncomingMessage,
{
    if let Some(error) = message.decode_error() {
        return Err(Refusal::reported::<T>(error));
    }
    decode_payload(decoder, message.payload())
}

#[inline]
pub(super) fn decode_payload<T: DeserializeOwned, D: Codec>(
    decoder: &D,
    payload: &[u8],
) -> Result<T, Refusal> {
    decoder
        .decode(payload)
        .map_err(|error| Refusal::new::<T>(RefusalKind::Codec, error))
}

pub(super) fn decode_set<Set, D, M>(decoder: &D, message: &M) -> Result<Set, Refusal>
where
    Set: DecodeSet<D>,
    M: IncomingMessage,
{
    if let Some(error) = message.decode_error() {
        return Err(Refusal::reported::<Set>(error));
    }
    <Set as DecodeSet<D>>::decode(decoder, message)
        .map_err(|error| Refusal::new::<Set>(RefusalKind::Codec, error))
}

#[cold]
pub(super) fn no_value<T>() -> Refusal {
    Refusal::new::<T>(
        RefusalKind::NoValue,
        format_args!("the delivery carries no `{}`", type_name::<T>()),
    )
}
