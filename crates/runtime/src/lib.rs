//! The runtime of `RustStream`: builds a service from handlers, delivers, publishes and settles.
//!
//! | Room | What is in it |
//! |---|---|
//! | `app` | the builder, startup and shutdown, the running handle, health |
//! | `definition`, `input`, `reply`, `slot` | what a handler is made of |
//! | `mount` | how a definition becomes a registration |
//! | `deliver` | the path of one delivery and its drivers |
//! | `settle` | outcomes, retries, dead letters |
//! | `publish` | everything that makes a message leave |
//! | `observe` | the seam through which a test harness sees all of it |
//! | `extract`, `layers` | context, extractors, consumer middleware |
//!
//! Services reach every item through the facade crate `ruststream`.

#![forbid(unsafe_code)]

mod app;
mod definition;
mod deliver;
mod docs;
mod extract;
mod handle;
mod handler;
mod input;
pub mod layers;
mod mount;
#[doc(hidden)]
pub mod observe;
mod outcome;
mod policy;
mod poll;
mod publish;
mod reason;
mod reply;
mod settle;
mod slot;
mod tasks;
mod unwind;
mod verdict;
mod workers;

pub use app::*;
#[doc(hidden)]
pub use definition::{
    AxisDocs, DeclaresReply, Definition, DocState, Docs, HandleValue, IsDocumented, Parts, Probed,
    ProbedDeclaredReplyDef, ProbedDocs, ProbedReplyDef, ReplyValue, Sealed, UnbuiltDefinition,
    probed_declared_reply_def, probed_def, probed_reply_def,
};
pub use definition::{Documentable, Documented, Undocumented, subscriber};
pub use docs::*;
pub use extract::{After, Context, Ctx, CtxKey, FromContext, FromRef, Headers, MainRuntime, State};
pub use handle::Handle;
pub use handler::Handler;
#[doc(hidden)]
pub use input::{
    Axis, Batch, BatchCarried, BatchDeserialized, BatchPair, BatchSet, BatchedAxis, BatchedFrom,
    CapsBatches, DecodeOutcome, DecodeSet, Decoded, DecodedInput, DecodedPair, FedBy, LaneCodec,
    LaneInput, Materialize, Solo, SoloAxis, SoloCarried, SoloPair, SourceCarries,
    SourceCarriesBatch, VariantLane, every_variant_failed, header_missing, header_unknown,
    no_variant_chosen,
};
pub use input::{
    CodecDiscriminator, Deserialized, InMessages, InVariant, Input, Message, MessageDeclaration,
    SoloDeserialized, SoloSet, Typed, VariantOf, typed,
};
pub use layers::dynamic::{DynMiddleware, DynStack, DynStackHandler, Next};
pub use layers::ext::HandlerExt;
pub use layers::identity::Identity;
pub use layers::layer::{BlanketLayer, Layer};
pub use layers::stack::Stack;
pub use mount::*;
pub use outcome::HandlerOutcome;
#[doc(hidden)]
pub use outcome::{HandlerResult, IntoOutcome};
pub use policy::{FailurePolicies, FailurePolicy};
#[cfg(feature = "poll-diagnostics")]
#[doc(hidden)]
pub use poll::{BUCKET_BOUNDS_NS, PollStats};
#[cfg(feature = "poll-diagnostics")]
pub use poll::{PollDiagnostics, PollReport};
pub use publish::*;
pub use reply::*;
#[doc(hidden)]
pub use settle::{
    PairCopies, Paired, PublishesCopiesHere, RetryDeclareError, RetryPlanned, SettledCopies,
};
pub use slot::*;
pub use verdict::Verdict;
#[doc(hidden)]
pub use verdict::{Batched, OneByOne, VerdictFamily, batch_verdict, uniform_batch};
pub use workers::{Placement, Workers};
