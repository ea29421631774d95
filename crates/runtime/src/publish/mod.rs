//! How a message leaves: the builder, what it fills in, transforms, layers and transactions.

mod batch_transform;
mod builder;
mod codec;
mod context;
mod dynamic;
mod error;
mod ext;
mod headers;
mod layer;
mod name;
mod naming;
mod narrow;
mod outgoing;
mod pipeline;
mod request;
mod scratch;
mod sink;
mod slot_transforms;
mod template;
#[cfg(test)]
pub(crate) mod testkit;
mod transaction;
mod transform;
mod wire;

pub use batch_transform::{
    BatchPublishTransform, BatchPublishTransformStack, BatchTransformIdentity, ForBatch, for_batch,
};
pub use builder::{MessageBody, PublishBuilder, message_of};
pub use codec::{CallCodec, PublishCodec, UnnamedCodec};
pub use context::{ContextKind, ForReply, ForSlot, PublishContext, SlotContext};
pub use dynamic::{PublishDynLayer, PublishDynNext, PublishDynStack};
pub use error::PublishError;
pub use ext::PublishExt;
pub use headers::{
    HeaderSource, HeadersOpen, HeadersUnset, MapHeaders, PublishHeaders, SatisfiesContract,
    TypedHeaders,
};
pub use layer::{PublishIdentity, PublishLayer, PublishNext, PublishPipeline, PublishStack};
#[doc(hidden)]
pub use name::{NamedByTheCall, NamedOnce};
pub use name::{ResolvedName, SuppliedName};
pub use naming::{
    Both, DestinationDeclared, DestinationSettled, DestinationUndeclared, DestinationUse, Either,
    FitsOffer, FitsTaken, Names, NamesDestination, NamingOffered, NamingUntaken, Reads,
    SettlesDestination,
};
pub use narrow::{NamedDestinationSend, NarrowToUse, SendOnlyPolicy};
pub use outgoing::{Outgoing, OutgoingName};
pub use pipeline::{OutPipeline, PipelinePublishError};
pub use sink::PublishSink;
pub use slot_transforms::{LowerOutTransforms, RetryStackUse, SlotStackUse, SlotTransforms};
pub use template::{BoundSegment, MissingSegment, PublishAt, TemplateAddress};
pub use transaction::{
    Admits, AnyDeclared, TransactionPublishError, TransactionScope, TypedTransaction,
};
pub use transform::{PublishTransform, PublishTransformIdentity, PublishTransformStack};
pub use wire::{
    EncodeOutcome, EncodedMessage, EncodedWire, MessageWire, PayloadError, SerializePayloadError,
    Serialized, SerializedWire, WireBytes, WirePayload,
};

/// What a layer fails with: its own error, or the broker's.
pub(crate) type BoxError = Box<dyn std::error::Error + Send + Sync>;
