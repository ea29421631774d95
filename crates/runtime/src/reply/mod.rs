//! Replies: what a body may return to be published, where it goes, and how it leaves.

mod answer;
mod batch;
mod destination;
mod publisher;
mod shape;
mod wiring;

pub use answer::{Answer, NoAnswer, PairAnswer};
pub use batch::{BatchAnswer, BatchReply, PairBatchAnswer};
pub use destination::{
    DeclaredDest, DestNotice, FixedReply, NamedDest, RedirectableReply, ReplyDest,
    ReplyDestination, ReplyOffer, ResolveDestination, ResolvedDest, declared_reply_destination,
    reply_destination,
};
pub use publisher::{Transactional, TypedPublisher};
pub use shape::{
    EncodedReply, ReplyFormFor, ReplyHeadersSchema, ReplyItem, ReplyRoute, ReplyShape,
    SerializedReply, WireDocs, WriteReplyHeaders,
};
pub use wiring::{
    AddBatchReplyTransform, AddReplyTransform, CodecSlotOpen, Direct, InTransaction,
    MapReplyPolicy, NameReplyCodec, PublishingDirectly, RawReplyWiring, ReplyWiring,
    TransactionalReply,
};
