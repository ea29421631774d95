//! Which codec a publish encodes with.

use ruststream_core::codec::Codec;
#[cfg(any(feature = "json", feature = "cbor", feature = "msgpack"))]
use ruststream_core::codec::DefaultCodec;

/// A codec position that holds a codec.
///
/// A reference to a codec, [`CallCodec`] and, where a codec feature is on, [`UnnamedCodec`] are
/// such positions.
#[diagnostic::on_unimplemented(
    message = "no codec is available to encode this message: turn on the feature `json`, or name one",
    label = "`{Self}` names no codec",
    note = "enable a codec feature of `ruststream` (`json`, `cbor` or `msgpack`)",
    note = "or name a codec: `.with_codec(..)` at the call, `.codec(..)` after the position at the mount",
    note = "or let the type produce its own bytes with `#[derive(Serialized)]`"
)]
pub trait PublishCodec {
    /// The codec held.
    type Codec: Codec;

    /// The codec to encode with.
    fn codec(&self) -> &Self::Codec;
}

impl<C: Codec> PublishCodec for &C {
    type Codec = C;

    fn codec(&self) -> &C {
        self
    }
}

/// A codec position nobody filled: the default codec, if a codec feature is on.
#[derive(Debug, Clone, Copy, Default)]
pub struct UnnamedCodec {
    #[cfg(any(feature = "json", feature = "cbor", feature = "msgpack"))]
    codec: DefaultCodec,
}

impl UnnamedCodec {
    /// The unfilled position.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

#[cfg(any(feature = "json", feature = "cbor", feature = "msgpack"))]
impl PublishCodec for UnnamedCodec {
    type Codec = DefaultCodec;

    fn codec(&self) -> &DefaultCodec {
        &self.codec
    }
}

/// A codec named at the call or at the mount.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct CallCodec<C>(pub(crate) C);

impl<C: Codec> PublishCodec for CallCodec<C> {
    type Codec = C;

    fn codec(&self) -> &C {
        &self.0
    }
}
