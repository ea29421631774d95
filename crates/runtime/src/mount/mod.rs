//! From a definition to a registration: settings, forms, publish positions, routers.
//!
//! A chain carries types only as far as the compiler needs them to refuse misuse. Where it commits,
//! a registration becomes a metadata record and one closure that opens it.

mod batch;
mod bind;
mod chain;
mod declare;
pub mod forms;
mod guard;
mod handle;
mod last;
mod metadata;
mod positions;
mod route;
mod router;
mod settings;
mod solo;
mod steps;
mod wire;

pub use bind::{BindAt, BindSlot, OutPosition};
pub use chain::{MapPublisher, RouterWith};
pub use declare::{CapOpen, DeadLetterOpen, DeclareCap, DeclareDeadLetter};
pub use forms::{IncludeMount, RouterMount};
pub use guard::{Mounting, MountingSlots};
pub(crate) use handle::handle_registration;
pub use last::{
    AdmitsAt, AdmitsSlotAt, BatchTransformLast, CodecAt, CodecLast, DestinationLast,
    DestinationOpen, MapPolicyAt, MapPolicyLast, MountOffer, NamedStep, PositionOptions, ReplyStep,
    StepOpen, StepTaken, TransactionalLast, TransformAt, TransformLast,
};
pub use positions::{
    Absent, BatchMount, BatchPublishMount, DefaultReply, FixedDestination, InitSlots, LayeredMount,
    MissingSlot, NoOutBound, NoReply, OpenDestination, OutAttachment, Positions, Present,
    PublishMount, RawReplyMount, Reply, ReplyAttachment, ReplyLast, Retried, Retry, RetryPos,
    SlotLast, SoloMount, Unretried, WithSource,
};
pub use route::{
    FamilyMount, Layered, MountRoute, MountToken, RetryDestinationsDeclared, Route, RouterCommit,
    ScopeCommit,
};
pub use router::{
    Router, RouterBroker, RouterDef, RouterHandlers, RouterOut, RouterPublishing,
    RouterPublishingOut, RouterSink,
};
pub use settings::{AllOpen, Fixed, Open, SubscriberBuilder, ValueBuilder};
pub use steps::{
    BatchSized, BatchStep, CodecStep, Declared, FailureStep, IncludeDef, MapSourceStep, NameStep,
    ReplyUnnamed, StartAtStep, SubscriberSettings, WorkersStep,
};
pub use wire::{PairOuts, SlotCodec, SlotSource, WireSlots};
