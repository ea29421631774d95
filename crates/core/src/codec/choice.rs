//! Which codec a registration uses: the most specific one that was named.
//!
//! Every place that may name a codec holds a codec or `()`. These traits live beside [`Codec`]
//! because only here does the compiler know that `()` is none.

use super::Codec;

/// What a mount surface (a scope, a router) gives its registrations: the codec it names, or the
/// default one.
#[diagnostic::on_unimplemented(
    message = "no codec is available here: turn on the feature `json`, or name one",
    label = "nothing names a codec, and no codec feature is on",
    note = "turn on one of the features `json`, `cbor` and `msgpack`",
    note = "name a codec: `.codec(MyCodec)` right here, `with_broker_codec` or `Router::with_codec` on \
            the surface"
)]
pub trait SurfaceCodec {
    /// The codec.
    type Codec: Codec + Clone + 'static;
    /// The codec.
    fn surface_codec(&self) -> Self::Codec;
}

#[diagnostic::do_not_recommend]
impl<C: Codec + Clone + 'static> SurfaceCodec for C {
    type Codec = C;
    fn surface_codec(&self) -> C {
        self.clone()
    }
}

#[cfg(any(feature = "json", feature = "cbor", feature = "msgpack"))]
impl SurfaceCodec for () {
    type Codec = super::DefaultCodec;
    fn surface_codec(&self) -> super::DefaultCodec {
        super::DefaultCodec::default()
    }
}

/// What a registration names over its surface: a codec of its own, or nothing.
#[diagnostic::on_unimplemented(
    message = "no codec is available to decode this subscriber's input: turn on the feature `json`, or name one",
    label = "neither the registration (`{Self}`) nor its surface (`{Surface}`) names a codec",
    note = "turn on one of the features `json`, `cbor` and `msgpack`",
    note = "name a codec: `.codec(MyCodec)` on the registration, `with_broker_codec` or \
            `Router::with_codec` on the surface",
    note = "take a type that builds itself from the bytes: `#[derive(Deserialized)]`"
)]
pub trait NamedCodec<Surface> {
    /// The codec.
    type Codec: Codec + Clone + 'static;
    /// The codec.
    fn over(&self, surface: &Surface) -> Self::Codec;
}

impl<C: Codec + Clone + 'static, Surface> NamedCodec<Surface> for C {
    type Codec = C;
    fn over(&self, _surface: &Surface) -> C {
        self.clone()
    }
}

impl<Surface: SurfaceCodec> NamedCodec<Surface> for () {
    type Codec = Surface::Codec;
    fn over(&self, surface: &Surface) -> Self::Codec {
        surface.surface_codec()
    }
}
