//! What a body takes: the input types, the lane each of them rides, and received sets.

mod axis;
mod deserialized;
mod lane;
mod message;
mod set;
mod typed;

pub use axis::{
    Axis, Batch, BatchCarried, BatchDeserialized, BatchPair, BatchSet, BatchedAxis, BatchedFrom,
    CapsBatches, Input, LaneInput, Solo, SoloAxis, SoloCarried, SoloDeserialized, SoloPair, SoloSet,
};
pub use deserialized::{DecodeOutcome, Deserialized};
pub use lane::{BatchLane, LaneCodec, Received, Refusal, RefusalKind, SoloLane};
pub use message::Message;
pub use set::{
    CodecDiscriminator, DecodeSet, InMessages, InVariant, MessageDeclaration, VariantLane,
    VariantOf, every_variant_failed, header_missing, header_unknown, no_variant_chosen,
};
pub use typed::{Decoded, DecodedPair, Materialize, Typed, typed};
