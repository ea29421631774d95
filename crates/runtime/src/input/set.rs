//! Message sets: an enum of the models that arrive on one subscription (RUN-410 to RUN-417).

use std::error::Error;
use std::fmt::{self, Debug, Write as _};
use std::hash::Hash;

use ruststream_core::codec::{Codec, CodecError};
use ruststream_core::{IncomingMessage, MessageInfo};
use serde::de::DeserializeOwned;

use super::axis::{Solo, SoloDeserialized};
use super::{Deserialized, Input};
use crate::docs::IncomingMessageMetadata;

/// An enum of message models received on one subscription.
///
/// The derive of the same name writes this; it also generates the kind enum.
pub trait InMessages: Sized + Send + Sync + 'static {
    /// Which variant a delivery holds.
    type Kind: Copy + Eq + Hash + Debug + Send + Sync + 'static;
    /// Chooses the variant of a delivery and decodes it.
    ///
    /// # Errors
    ///
    /// No variant is chosen, or the chosen one does not decode.
    fn decode<DecodeCodec, M>(codec: &DecodeCodec, msg: &M) -> Result<Self, CodecError>
    where
        DecodeCodec: Codec,
        M: IncomingMessage;
    /// The models, in the order of the variants.
    fn incoming() -> Vec<IncomingMessageMetadata>;
}

/// Chooses a set's variant with the help of the codec, for sets that name it in
/// `#[in_messages(discriminate_with_codec = ..)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not choose a variant under the codec `{DecodeCodec}`: implement `CodecDiscriminator` for it, or mount the set under another codec",
    label = "no `CodecDiscriminator<{Kind}, {DecodeCodec}>` here",
    note = "implement it for this codec, or mount the set under a codec it is implemented for"
)]
pub trait CodecDiscriminator<Kind, DecodeCodec> {
    /// The variant, or `None` where the delivery holds none of them.
    fn kind<M: IncomingMessage>(codec: &DecodeCodec, msg: &M) -> Option<Kind>;
}

/// A set that decodes under one codec.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "the message set `{Self}` does not decode with the codec `{DecodeCodec}`: mount it under another, `.codec(..)`",
    label = "its discriminator is not implemented for this codec",
    note = "mount it where another codec is in force: `with_broker_codec`, `Router::with_codec` or \
            `.codec(..)` on the registration"
)]
pub trait DecodeSet<DecodeCodec>: Sized + Send + Sync + 'static {
    /// As [`InMessages::decode`].
    ///
    /// # Errors
    ///
    /// As [`InMessages::decode`].
    fn decode<M: IncomingMessage>(codec: &DecodeCodec, msg: &M) -> Result<Self, CodecError>;
    /// As [`InMessages::incoming`].
    fn incoming() -> Vec<IncomingMessageMetadata>;
}

#[diagnostic::do_not_recommend]
impl<Set, DecodeCodec> DecodeSet<DecodeCodec> for Set
where
    Set: InMessages,
    DecodeCodec: Codec,
{
    fn decode<M: IncomingMessage>(codec: &DecodeCodec, msg: &M) -> Result<Self, CodecError> {
        <Set as InMessages>::decode(codec, msg)
    }
    fn incoming() -> Vec<IncomingMessageMetadata> {
        <Set as InMessages>::incoming()
    }
}

/// A model that may be a variant of the set `Set`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a variant of the message set `{Set}`: derive `MessageInfo` and `serde::Deserialize` on it",
    label = "a variant's model declares itself and owns its data",
    note = "derive `MessageInfo` on it, and `serde::Deserialize`, or `Deserialized` with a decode \
            function that yields an owned value"
)]
pub trait InVariant<Set>: Sized + Send + Sync + 'static {
    /// The model builds itself from the payload bytes.
    const DESERIALIZED: bool;
    /// Decodes the model from a payload.
    ///
    /// # Errors
    ///
    /// The payload is not the model.
    fn decode_variant<DecodeCodec: Codec>(
        codec: &DecodeCodec,
        payload: &[u8],
    ) -> Result<Self, CodecError>;
    /// The model's record, without schemas.
    #[must_use]
    fn describe() -> IncomingMessageMetadata;
}

#[diagnostic::do_not_recommend]
impl<Set, Model> InVariant<Set> for Model
where
    Model: MessageInfo + Input + Sized + Send + Sync + 'static,
    Model::Axis: VariantLane<Model>,
{
    const DESERIALIZED: bool = <Model::Axis as VariantLane<Model>>::DESERIALIZED;

    fn decode_variant<DecodeCodec: Codec>(
        codec: &DecodeCodec,
        payload: &[u8],
    ) -> Result<Self, CodecError> {
        <Model::Axis as VariantLane<Model>>::decode(codec, payload)
    }

    fn describe() -> IncomingMessageMetadata {
        IncomingMessageMetadata::new(std::any::type_name::<Model>())
            .with_message_name(Some(Model::NAME))
            .with_message_description(Model::DESCRIPTION)
            .with_deserialized(<Self as InVariant<Set>>::DESERIALIZED)
    }
}

/// A lane that a variant's model may ride.
#[doc(hidden)]
pub trait VariantLane<Model> {
    /// The model builds itself from the payload bytes.
    const DESERIALIZED: bool;
    /// Decodes the model.
    ///
    /// # Errors
    ///
    /// The payload is not the model.
    fn decode<DecodeCodec: Codec>(codec: &DecodeCodec, payload: &[u8])
    -> Result<Model, CodecError>;
}

impl<T: DeserializeOwned> VariantLane<T> for Solo<T> {
    const DESERIALIZED: bool = false;
    fn decode<DecodeCodec: Codec>(codec: &DecodeCodec, payload: &[u8]) -> Result<T, CodecError> {
        codec.decode(payload)
    }
}

impl<F> VariantLane<F> for SoloDeserialized<F>
where
    F: for<'p> Deserialized<Output<'p> = F>,
{
    const DESERIALIZED: bool = true;
    fn decode<DecodeCodec: Codec>(_codec: &DecodeCodec, payload: &[u8]) -> Result<F, CodecError> {
        F::from_payload(payload).map_err(|error| CodecError::Decode(error.to_string().into()))
    }
}

/// A model of the set `Set`; one model is one variant.
pub trait VariantOf<Set> {}

/// A declared message: a model or a set, never both.
pub trait MessageDeclaration {}

impl<T: MessageInfo> MessageDeclaration for T {}

/// Why a set has no value for a delivery (RUN-415).
#[derive(Debug)]
struct SetError(String);

impl fmt::Display for SetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for SetError {}

fn refused(text: String) -> CodecError {
    CodecError::Decode(Box::new(SetError(text)))
}

/// The failure of a set whose variants were all tried.
#[doc(hidden)]
#[must_use]
pub fn every_variant_failed(
    set: &'static str,
    failures: impl IntoIterator<Item = (&'static str, CodecError)>,
) -> CodecError {
    let mut text = format!("no variant of the message set `{set}` decodes the delivery: ");
    for (index, (variant, error)) in failures.into_iter().enumerate() {
        let separator = if index == 0 { "" } else { "; " };
        // Writing to a string does not fail.
        let _ = write!(text, "{separator}`{variant}`: {error}");
    }
    refused(text)
}

/// The failure of a set whose discriminator chose nothing.
#[doc(hidden)]
#[must_use]
pub fn no_variant_chosen(set: &'static str) -> CodecError {
    refused(format!(
        "the discriminator of the message set `{set}` chose no variant for the delivery"
    ))
}

/// The failure of a set whose header is absent.
#[doc(hidden)]
#[must_use]
pub fn header_missing(set: &'static str, header: &'static str) -> CodecError {
    refused(format!(
        "the message set `{set}` reads its variant from the `{header}` header, and the delivery \
         carries no `{header}` header"
    ))
}

/// The failure of a set whose header names no variant.
#[doc(hidden)]
#[must_use]
pub fn header_unknown(
    set: &'static str,
    header: &'static str,
    seen: &[u8],
    known: &'static [&'static str],
) -> CodecError {
    let seen = String::from_utf8_lossy(seen);
    let known = known
        .iter()
        .map(|value| format!("`{value}`"))
        .collect::<Vec<_>>()
        .join(", ");
    refused(format!(
        "the `{header}` header is `{seen}`, which names no variant of the message set `{set}` (the \
         values are {known})"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    // RUN-415
    #[test]
    fn the_failures_of_a_set_say_what_was_expected() {
        let tried = every_variant_failed(
            "Event",
            [
                ("Left", CodecError::Decode("no id".into())),
                ("Arrived", no_variant_chosen("Inner")),
            ],
        );
        assert_eq!(
            tried.to_string(),
            "decode failed: no variant of the message set `Event` decodes the delivery: `Left`: \
             decode failed: no id; `Arrived`: decode failed: the discriminator of the message set \
             `Inner` chose no variant for the delivery"
        );
        assert_eq!(
            header_missing("Event", "kind").to_string(),
            "decode failed: the message set `Event` reads its variant from the `kind` header, and \
             the delivery carries no `kind` header"
        );
        assert_eq!(
            header_unknown("Event", "kind", b"lost\xff", &["left", "arrived"]).to_string(),
            "decode failed: the `kind` header is `lost\u{fffd}`, which names no variant of the \
             message set `Event` (the values are `left`, `arrived`)"
        );
    }
}
