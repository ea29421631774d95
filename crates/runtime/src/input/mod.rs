//! What a body takes: the input types, the lane each of them rides, and received sets.

mod axis;
mod batch_lane;
mod deserialized;
mod lane;
mod message;
mod set;
mod source;
mod typed;

pub use axis::{
    Axis, Batch, BatchCarried, BatchDeserialized, BatchPair, BatchSet, BatchedAxis, BatchedFrom,
    CapsBatches, DecodedInput, Input, LaneInput, Solo, SoloAxis, SoloCarried, SoloDeserialized,
    SoloPair, SoloSet,
};
pub(crate) use batch_lane::{Answered, BatchLane};
pub use deserialized::{DecodeOutcome, Deserialized};
pub use lane::LaneCodec;
pub(crate) use lane::{Received, Refusal, SoloLane};
pub use message::Message;
pub use set::{
    CodecDiscriminator, DecodeSet, InMessages, InVariant, MessageDeclaration, VariantLane,
    VariantOf, every_variant_failed, header_missing, header_unknown, no_variant_chosen,
};
pub use source::{FedBy, SourceCarries, SourceCarriesBatch};
pub use typed::{Decoded, DecodedPair, Materialize, Typed, typed};
