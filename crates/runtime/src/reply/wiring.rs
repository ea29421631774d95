//! The reply position of a mount chain: a policy, its codec and transforms, before pairing.

use std::fmt;

use crate::publish::{
    BatchPublishTransformStack, BatchTransformIdentity, CallCodec, PublishTransformIdentity,
    PublishTransformStack, UnnamedCodec,
};

/// Replaces the policy of a wiring by one of its type.
#[doc(hidden)]
pub trait MapReplyPolicy: Sized {
    /// The policy's type.
    type Policy;
    /// Replaces it.
    #[must_use]
    fn map_policy(self, f: impl FnOnce(Self::Policy) -> Self::Policy) -> Self;
}

/// Names the codec of a reply position.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "this reply position has no codec to name: remove `.codec(..)`, since the type writes its own bytes",
    label = "the reply type produces its own bytes",
    note = "`.codec(..)` configures replies that a codec encodes; `Serialized` replies leave as they are"
)]
pub trait NameReplyCodec<C> {
    /// The codec named so far.
    type Slot;
    /// The wiring after the step.
    type Out;
    /// Names it.
    fn name_codec(self, codec: C) -> Self::Out;
}

/// A codec position that nothing was named for.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`.codec(..)` has no codec to name here: write it once, and never for a type that writes its own bytes",
    label = "this position's codec is named already, or its replies leave as bytes of their own",
    note = "name it once, after the position; a reply that derives `Serialized` has no codec"
)]
pub trait CodecSlotOpen {}

impl CodecSlotOpen for UnnamedCodec {}

/// Adds a per-message transform to a reply position.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "this reply position has no transforms: remove the transform, since the type writes its own bytes",
    label = "the reply type produces its own bytes",
    note = "transforms edit replies that a codec encodes; `Serialized` replies leave as they are"
)]
pub trait AddReplyTransform<N> {
    /// The wiring after the step.
    type Out;
    /// Adds it.
    fn add_transform(self, transform: N) -> Self::Out;
}

/// Adds a batch transform to a reply position.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "this reply position has no batch transforms: remove the transform, since the type writes its own bytes",
    label = "the reply type produces its own bytes",
    note = "batch transforms edit the replies of a batch, which a codec encodes"
)]
pub trait AddBatchReplyTransform<N> {
    /// The wiring after the step.
    type Out;
    /// Adds it.
    fn add_batch_transform(self, transform: N) -> Self::Out;
}

/// Lets the replies of one batch leave in one transaction.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "this reply position has no transaction: remove `.transactional()`, since the type writes its own bytes",
    label = "the reply type produces its own bytes",
    note = "`.transactional()` belongs to the reply position of a batch handler"
)]
pub trait TransactionalReply {
    /// Whether `.transactional()` was written.
    type State;
    /// The wiring after the step.
    type Out;
    /// Turns it on.
    fn into_transactional(self) -> Self::Out;
}

/// A reply position that publishes without a transaction.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "this reply position is already transactional: remove the second `.transactional()`",
    label = "`.transactional()` is written once",
    note = "drop the second one"
)]
pub trait PublishingDirectly {}

/// Each reply is published by itself.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, Default)]
pub struct Direct;

impl PublishingDirectly for Direct {}

/// The replies of one batch are published in one transaction.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, Default)]
pub struct InTransaction;

/// A reply position whose replies leave as their own bytes.
#[doc(hidden)]
pub struct RawReplyWiring<Policy>(pub(crate) Policy);

impl<Policy> fmt::Debug for RawReplyWiring<Policy> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RawReplyWiring").finish_non_exhaustive()
    }
}

impl<Policy> MapReplyPolicy for RawReplyWiring<Policy> {
    type Policy = Policy;
    fn map_policy(self, f: impl FnOnce(Policy) -> Policy) -> Self {
        Self(f(self.0))
    }
}

/// A reply position whose replies a codec encodes.
#[doc(hidden)]
pub struct ReplyWiring<
    Policy,
    Enc = UnnamedCodec,
    PL = PublishTransformIdentity,
    BL = BatchTransformIdentity,
    Tx = Direct,
> {
    pub(crate) policy: Policy,
    pub(crate) codec: Enc,
    pub(crate) transforms: PL,
    pub(crate) batch_transforms: BL,
    pub(crate) transaction: Tx,
}

impl<Policy> ReplyWiring<Policy> {
    pub(crate) fn new(policy: Policy) -> Self {
        Self {
            policy,
            codec: UnnamedCodec::new(),
            transforms: PublishTransformIdentity,
            batch_transforms: BatchTransformIdentity,
            transaction: Direct,
        }
    }
}

impl<Policy, Enc, PL, BL, Tx> fmt::Debug for ReplyWiring<Policy, Enc, PL, BL, Tx> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReplyWiring").finish_non_exhaustive()
    }
}

impl<Policy, Enc, PL, BL, Tx> MapReplyPolicy for ReplyWiring<Policy, Enc, PL, BL, Tx> {
    type Policy = Policy;
    fn map_policy(self, f: impl FnOnce(Policy) -> Policy) -> Self {
        Self {
            policy: f(self.policy),
            ..self
        }
    }
}

impl<Policy, Enc, PL, BL, Tx, C> NameReplyCodec<C> for ReplyWiring<Policy, Enc, PL, BL, Tx> {
    type Slot = Enc;
    type Out = ReplyWiring<Policy, CallCodec<C>, PL, BL, Tx>;
    fn name_codec(self, codec: C) -> Self::Out {
        ReplyWiring {
            policy: self.policy,
            codec: CallCodec(codec),
            transforms: self.transforms,
            batch_transforms: self.batch_transforms,
            transaction: self.transaction,
        }
    }
}

impl<Policy, Enc, PL, BL, Tx, N> AddReplyTransform<N> for ReplyWiring<Policy, Enc, PL, BL, Tx> {
    type Out = ReplyWiring<Policy, Enc, PublishTransformStack<PL, N>, BL, Tx>;
    fn add_transform(self, transform: N) -> Self::Out {
        ReplyWiring {
            policy: self.policy,
            codec: self.codec,
            transforms: PublishTransformStack::new(self.transforms, transform),
            batch_transforms: self.batch_transforms,
            transaction: self.transaction,
        }
    }
}

impl<Policy, Enc, PL, BL, Tx, N> AddBatchReplyTransform<N>
    for ReplyWiring<Policy, Enc, PL, BL, Tx>
{
    type Out = ReplyWiring<Policy, Enc, PL, BatchPublishTransformStack<BL, N>, Tx>;
    fn add_batch_transform(self, transform: N) -> Self::Out {
        ReplyWiring {
            policy: self.policy,
            codec: self.codec,
            transforms: self.transforms,
            batch_transforms: BatchPublishTransformStack::new(self.batch_transforms, transform),
            transaction: self.transaction,
        }
    }
}

impl<Policy, Enc, PL, BL, Tx> TransactionalReply for ReplyWiring<Policy, Enc, PL, BL, Tx> {
    type State = Tx;
    type Out = ReplyWiring<Policy, Enc, PL, BL, InTransaction>;
    fn into_transactional(self) -> Self::Out {
        ReplyWiring {
            policy: self.policy,
            codec: self.codec,
            transforms: self.transforms,
            batch_transforms: self.batch_transforms,
            transaction: InTransaction,
        }
    }
}
