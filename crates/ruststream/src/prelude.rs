//! What a service's modules import: `use ruststream::prelude::*;`.
//!
//! A broker crate's prelude re-exports it beside the broker's own names.

#[cfg(feature = "macros")]
#[doc(no_inline)]
pub use crate::{
    Deserialized, FromRef, InMessages, OutMessages, Outgoing, Serialized, app, subscriber,
};
// Each of the two is a trait and, with the macros, the derive of the same name.
#[doc(no_inline)]
pub use crate::{MessageInfo, OutSlot};
#[doc(no_inline)]
pub use ruststream_core::{
    Broker, BytesMut, CallerName, FixedName, HeaderMap, IncomingMessage, MessageHeaders, Name,
    NameTemplate, NoHeaders, OutgoingDestination, OwnedTransactions, PublishPolicy, Publisher,
    RequestReply, Str, TransactionalPublisher, Unnamed, WithHeaders, nonzero,
};
#[doc(no_inline)]
pub use ruststream_runtime::{
    App, AppInfo, CodecDiscriminator, Context, ContextKind, Ctx, DefaultSlot, Deserialized,
    FailurePolicies, FailurePolicy, ForReply, ForSlot, FromContext, FromRef, Handle,
    HandlerOutcome, HeaderDiscriminator, Headers, InMessages, InVariant, IncomingMessageMetadata,
    Input, MainRuntime, MapPublisher, Message, MessageWire, Names, Out, OutEntry, OutMessages,
    OutgoingMessageMetadata, Outs, PublishExt, PublishTransform, PublishedThrough, Reads, Reply,
    ReplyShape, Retry, Router, RouterDef, RunningApp, RustStream, Serialized, SerializedReply,
    SerializedWire, Slot, SoloDeserialized, SoloSet, State, SubscriberSettings, WireBytes, Workers,
    subscriber,
};
