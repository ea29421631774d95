//! The steps that ride the position bound last.
//!
//! Each step is implemented for every position, also where it means nothing: its `Step` then names
//! a token that fails the step's own bound, so the compiler prints why instead of "no method".

use std::borrow::Cow;
use std::marker::PhantomData;

use ruststream_core::{Broker, Connected, PublishPolicy, Publisher};

use super::positions::{
    BatchPublishMount, FixedDestination, Here, NoOutBound, OpenDestination, OutAttachment,
    Positions, PublishMount, ReplyLast, Retried, Retry, RetryPos, SlotLast, There, WithSource,
};
use crate::definition::DeclaresReply;
use crate::publish::{
    CallCodec, FitsOffer, ForReply, ForSlot, Names, NamingOffered, NamingUntaken, PublishTransform,
    PublishTransformStack, Reads, UnnamedCodec,
};
use crate::reply::{
    AddBatchReplyTransform, AddReplyTransform, Direct, MapReplyPolicy, NameReplyCodec,
    RawReplyWiring, RedirectableReply, ReplyOffer, ReplyWiring, TransactionalReply,
};
use crate::slot::OutSlot;

/// A position that steps can ride.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "no publish position precedes this step: write it after `.out(Marker, policy)` or `.out_reply(policy)`",
    label = "nothing was bound before it",
    note = "steps ride the position named just before them: `.out(Marker, policy)`, \
            `.out_reply(policy)` or `.out_retry(policy)`"
)]
pub trait NamedStep {}

impl NamedStep for ReplyLast {}
impl<I> NamedStep for SlotLast<I> {}
impl NamedStep for RetryPos {}

/// The reply position of a batch handler.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`.batch_transform(..)` and `.transactional()` ride the reply position of a batch: write them after its `.out_reply(policy)`",
    label = "no position of a batch's replies precedes this step",
    note = "write it right after `.out_reply(policy)`, on a handler that takes a slice and replies; \
            the reply of one message takes `.transform(..)`"
)]
pub trait ReplyStep<Mount> {}

impl ReplyStep<BatchPublishMount> for ReplyLast {}

/// A step that may still be taken.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, Default)]
pub struct StepOpen;

/// A step that has no meaning here, or was taken.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, Default)]
pub struct StepTaken;

/// `.to(..)` has something to name.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`.to(..)` has no destination to name here: write it once, after `.out_retry(policy)`",
    label = "it names where retry copies go, once, right after `.out_retry(policy)`",
    note = "a reply's destination is named by its type or by `reply(\"name\")`, a slot publish's by \
            its message type or `.to(..)` at the call"
)]
pub trait DestinationOpen {}

impl DestinationOpen for StepOpen {}

/// Adds a publish transform to the position bound last.
#[doc(hidden)]
pub trait TransformLast<N, Last> {
    /// The position, or [`NoOutBound`].
    type Step;
    /// The positions after the step.
    type Out;
    /// Adds it.
    fn transform_last(self, transform: N) -> Self::Out;
}

/// Names the codec of the position bound last.
#[doc(hidden)]
pub trait CodecLast<Cd, Last> {
    /// The position, or [`NoOutBound`].
    type Step;
    /// [`UnnamedCodec`] where a codec can be named.
    type Slot;
    /// The positions after the step.
    type Out;
    /// Names it.
    fn codec_last(self, codec: Cd) -> Self::Out;
}

/// Replaces the policy of the position bound last by one of its type.
#[doc(hidden)]
pub trait MapPolicyLast<Last>: Sized {
    /// The position, or [`NoOutBound`].
    type Step;
    /// The policy's type.
    type Policy;
    /// Replaces it.
    #[must_use]
    fn map_policy_last(self, f: impl FnOnce(Self::Policy) -> Self::Policy) -> Self;
}

/// Adds a batch transform to the reply position.
#[doc(hidden)]
pub trait BatchTransformLast<N, Last> {
    /// [`ReplyLast`] where the step means something.
    type Step;
    /// The positions after the step.
    type Out;
    /// Adds it.
    fn batch_transform_last(self, transform: N) -> Self::Out;
}

/// Lets the replies of a batch leave in one transaction.
#[doc(hidden)]
pub trait TransactionalLast<Last> {
    /// [`ReplyLast`] where the step means something.
    type Step;
    /// Whether the step was written before.
    type State;
    /// The positions after the step.
    type Out;
    /// Turns it on.
    fn transactional_last(self) -> Self::Out;
}

/// Names the destination of the retry copies.
#[doc(hidden)]
pub trait DestinationLast<Last> {
    /// [`StepOpen`] where the step means something.
    type Step;
    /// The positions after the step.
    type Out;
    /// Names it.
    fn destination_last(self, destination: Cow<'static, str>) -> Self::Out;
}

/// Where a step means nothing: the positions stay as they are.
macro_rules! passes {
    ($($trait:ident <$($n:ident),*> [$($i:ident)?] at $last:ty, step $step:ty
        $([$more:ident = $value:ty])?, fn $method:ident($($arg:ident: $ty:ty)?);)+) => {$(
        impl<$($n,)* $($i,)? Rep, Slots, Ret, Wrap> $trait<$($n,)* $last>
            for Positions<Rep, Slots, Ret, Wrap>
        {
            type Step = $step;
            $(type $more = $value;)?
            type Out = Self;
            fn $method(self $(, $arg: $ty)?) -> Self {
                $(let _ = $arg;)?
                self
            }
        }
    )+};
}

passes! {
    TransformLast<N> [] at NoOutBound, step NoOutBound, fn transform_last(transform: N);
    CodecLast<Cd> [] at NoOutBound, step NoOutBound [Slot = UnnamedCodec], fn codec_last(codec: Cd);
    BatchTransformLast<N> [] at NoOutBound, step NoOutBound, fn batch_transform_last(transform: N);
    BatchTransformLast<N> [] at RetryPos, step RetryPos, fn batch_transform_last(transform: N);
    BatchTransformLast<N> [I] at SlotLast<I>, step SlotLast<I>, fn batch_transform_last(transform: N);
    TransactionalLast<> [] at NoOutBound, step NoOutBound [State = Direct], fn transactional_last();
    TransactionalLast<> [] at RetryPos, step RetryPos [State = Direct], fn transactional_last();
    TransactionalLast<> [I] at SlotLast<I>, step SlotLast<I> [State = Direct], fn transactional_last();
    DestinationLast<> [] at NoOutBound, step StepTaken, fn destination_last(destination: Cow<'static, str>);
    DestinationLast<> [] at ReplyLast, step StepTaken, fn destination_last(destination: Cow<'static, str>);
    DestinationLast<> [I] at SlotLast<I>, step StepTaken, fn destination_last(destination: Cow<'static, str>);
}

impl<Rep, Slots, Ret, Wrap> MapPolicyLast<NoOutBound> for Positions<Rep, Slots, Ret, Wrap> {
    type Step = NoOutBound;
    type Policy = ();
    fn map_policy_last(self, _f: impl FnOnce(())) -> Self {
        self
    }
}

// The reply position.

impl<N, Policy, Enc, PL, BL, Tx, Slots, Ret, Wrap> TransformLast<N, ReplyLast>
    for Positions<WithSource<ReplyWiring<Policy, Enc, PL, BL, Tx>>, Slots, Ret, Wrap>
{
    type Step = ReplyLast;
    type Out = Positions<
        WithSource<<ReplyWiring<Policy, Enc, PL, BL, Tx> as AddReplyTransform<N>>::Out>,
        Slots,
        Ret,
        Wrap,
    >;
    fn transform_last(self, transform: N) -> Self::Out {
        self.map_reply(|wiring| WithSource(wiring.0.add_transform(transform)))
    }
}

impl<Cd, Policy, Enc, PL, BL, Tx, Slots, Ret, Wrap> CodecLast<Cd, ReplyLast>
    for Positions<WithSource<ReplyWiring<Policy, Enc, PL, BL, Tx>>, Slots, Ret, Wrap>
{
    type Step = ReplyLast;
    type Slot = Enc;
    type Out = Positions<
        WithSource<<ReplyWiring<Policy, Enc, PL, BL, Tx> as NameReplyCodec<Cd>>::Out>,
        Slots,
        Ret,
        Wrap,
    >;
    fn codec_last(self, codec: Cd) -> Self::Out {
        self.map_reply(|wiring| WithSource(wiring.0.name_codec(codec)))
    }
}

impl<W: MapReplyPolicy, Slots, Ret, Wrap> MapPolicyLast<ReplyLast>
    for Positions<WithSource<W>, Slots, Ret, Wrap>
{
    type Step = ReplyLast;
    type Policy = W::Policy;
    fn map_policy_last(self, f: impl FnOnce(W::Policy) -> W::Policy) -> Self {
        self.map_reply(|wiring| WithSource(wiring.0.map_policy(f)))
    }
}

impl<N, Policy, Enc, PL, BL, Tx, Slots, Ret, Wrap> BatchTransformLast<N, ReplyLast>
    for Positions<WithSource<ReplyWiring<Policy, Enc, PL, BL, Tx>>, Slots, Ret, Wrap>
{
    type Step = ReplyLast;
    type Out = Positions<
        WithSource<<ReplyWiring<Policy, Enc, PL, BL, Tx> as AddBatchReplyTransform<N>>::Out>,
        Slots,
        Ret,
        Wrap,
    >;
    fn batch_transform_last(self, transform: N) -> Self::Out {
        self.map_reply(|wiring| WithSource(wiring.0.add_batch_transform(transform)))
    }
}

impl<Policy, Enc, PL, BL, Tx, Slots, Ret, Wrap> TransactionalLast<ReplyLast>
    for Positions<WithSource<ReplyWiring<Policy, Enc, PL, BL, Tx>>, Slots, Ret, Wrap>
{
    type Step = ReplyLast;
    type State = Tx;
    type Out = Positions<
        WithSource<<ReplyWiring<Policy, Enc, PL, BL, Tx> as TransactionalReply>::Out>,
        Slots,
        Ret,
        Wrap,
    >;
    fn transactional_last(self) -> Self::Out {
        self.map_reply(|wiring| WithSource(wiring.0.into_transactional()))
    }
}

/// A reply of its own bytes has nothing that these steps set (PUB-313).
macro_rules! raw_reply_passes {
    ($($trait:ident <$($n:ident),*> $([$more:ident = $value:ty])?,
        fn $method:ident($($arg:ident: $ty:ty)?);)+) => {$(
        impl<$($n,)* Policy, Slots, Ret, Wrap> $trait<$($n,)* ReplyLast>
            for Positions<WithSource<RawReplyWiring<Policy>>, Slots, Ret, Wrap>
        {
            type Step = ReplyLast;
            $(type $more = $value;)?
            type Out = Self;
            fn $method(self $(, $arg: $ty)?) -> Self {
                $(let _ = $arg;)?
                self
            }
        }
    )+};
}

raw_reply_passes! {
    TransformLast<N>, fn transform_last(transform: N);
    CodecLast<Cd> [Slot = RawReplyWiring<()>], fn codec_last(codec: Cd);
    BatchTransformLast<N>, fn batch_transform_last(transform: N);
    TransactionalLast<> [State = Direct], fn transactional_last();
}

// A slot.

/// Adds a transform to the slot at `Index`.
#[doc(hidden)]
pub trait TransformAt<N, Index> {
    /// The list after the step.
    type Out;
    /// Adds it.
    fn transform_at(self, transform: N) -> Self::Out;
}

/// Names the codec of the slot at `Index`.
#[doc(hidden)]
pub trait CodecAt<Cd, Index> {
    /// [`UnnamedCodec`] where a codec can be named.
    type Slot;
    /// The list after the step.
    type Out;
    /// Names it.
    fn codec_at(self, codec: Cd) -> Self::Out;
}

/// Replaces the policy of the slot at `Index` by one of its type.
#[doc(hidden)]
pub trait MapPolicyAt<Index>: Sized {
    /// The policy's type.
    type Policy;
    /// Replaces it.
    #[must_use]
    fn map_policy_at(self, f: impl FnOnce(Self::Policy) -> Self::Policy) -> Self;
}

impl<N, M, Policy, Layers, Enc, Tail> TransformAt<N, Here>
    for (WithSource<OutAttachment<M, Policy, Layers, Enc>>, Tail)
{
    type Out = (
        WithSource<OutAttachment<M, Policy, PublishTransformStack<Layers, N>, Enc>>,
        Tail,
    );
    fn transform_at(self, transform: N) -> Self::Out {
        (WithSource(self.0.0.with_transform(transform)), self.1)
    }
}

impl<N, Head, Tail: TransformAt<N, I>, I> TransformAt<N, There<I>> for (Head, Tail) {
    type Out = (Head, Tail::Out);
    fn transform_at(self, transform: N) -> Self::Out {
        (self.0, self.1.transform_at(transform))
    }
}

impl<Cd, M, Policy, Layers, Enc, Tail> CodecAt<Cd, Here>
    for (WithSource<OutAttachment<M, Policy, Layers, Enc>>, Tail)
{
    type Slot = Enc;
    type Out = (
        WithSource<OutAttachment<M, Policy, Layers, CallCodec<Cd>>>,
        Tail,
    );
    fn codec_at(self, codec: Cd) -> Self::Out {
        (WithSource(self.0.0.with_codec(codec)), self.1)
    }
}

impl<Cd, Head, Tail: CodecAt<Cd, I>, I> CodecAt<Cd, There<I>> for (Head, Tail) {
    type Slot = Tail::Slot;
    type Out = (Head, Tail::Out);
    fn codec_at(self, codec: Cd) -> Self::Out {
        (self.0, self.1.codec_at(codec))
    }
}

impl<M, Policy, Layers, Enc, Tail> MapPolicyAt<Here>
    for (WithSource<OutAttachment<M, Policy, Layers, Enc>>, Tail)
{
    type Policy = Policy;
    fn map_policy_at(mut self, f: impl FnOnce(Policy) -> Policy) -> Self {
        self.0.0 = self.0.0.map_policy(f);
        self
    }
}

impl<Head, Tail: MapPolicyAt<I>, I> MapPolicyAt<There<I>> for (Head, Tail) {
    type Policy = Tail::Policy;
    fn map_policy_at(self, f: impl FnOnce(Self::Policy) -> Self::Policy) -> Self {
        (self.0, self.1.map_policy_at(f))
    }
}

impl<N, I, Rep, Slots: TransformAt<N, I>, Ret, Wrap> TransformLast<N, SlotLast<I>>
    for Positions<Rep, Slots, Ret, Wrap>
{
    type Step = SlotLast<I>;
    type Out = Positions<Rep, Slots::Out, Ret, Wrap>;
    fn transform_last(self, transform: N) -> Self::Out {
        self.map_slots(|slots| slots.transform_at(transform))
    }
}

impl<Cd, I, Rep, Slots: CodecAt<Cd, I>, Ret, Wrap> CodecLast<Cd, SlotLast<I>>
    for Positions<Rep, Slots, Ret, Wrap>
{
    type Step = SlotLast<I>;
    type Slot = Slots::Slot;
    type Out = Positions<Rep, Slots::Out, Ret, Wrap>;
    fn codec_last(self, codec: Cd) -> Self::Out {
        self.map_slots(|slots| slots.codec_at(codec))
    }
}

impl<I, Rep, Slots: MapPolicyAt<I>, Ret, Wrap> MapPolicyLast<SlotLast<I>>
    for Positions<Rep, Slots, Ret, Wrap>
{
    type Step = SlotLast<I>;
    type Policy = Slots::Policy;
    fn map_policy_last(self, f: impl FnOnce(Self::Policy) -> Self::Policy) -> Self {
        self.map_slots(|slots| slots.map_policy_at(f))
    }
}

// The retry position.

impl<N, Rep, Slots, Policy, Layers, Enc, Dest, Wrap> TransformLast<N, RetryPos>
    for Positions<Rep, Slots, Retried<OutAttachment<Retry, Policy, Layers, Enc>, Dest>, Wrap>
{
    type Step = RetryPos;
    type Out = Positions<
        Rep,
        Slots,
        Retried<OutAttachment<Retry, Policy, PublishTransformStack<Layers, N>, Enc>, Dest>,
        Wrap,
    >;
    fn transform_last(self, transform: N) -> Self::Out {
        self.map_retry(|retry| retry.map_attachment(|bound| bound.with_transform(transform)))
    }
}

impl<Cd, Rep, Slots, Policy, Layers, Enc, Dest, Wrap> CodecLast<Cd, RetryPos>
    for Positions<Rep, Slots, Retried<OutAttachment<Retry, Policy, Layers, Enc>, Dest>, Wrap>
{
    type Step = RetryPos;
    type Slot = Enc;
    type Out = Positions<
        Rep,
        Slots,
        Retried<OutAttachment<Retry, Policy, Layers, CallCodec<Cd>>, Dest>,
        Wrap,
    >;
    fn codec_last(self, codec: Cd) -> Self::Out {
        self.map_retry(|retry| retry.map_attachment(|bound| bound.with_codec(codec)))
    }
}

impl<Rep, Slots, Policy, Layers, Enc, Dest, Wrap> MapPolicyLast<RetryPos>
    for Positions<Rep, Slots, Retried<OutAttachment<Retry, Policy, Layers, Enc>, Dest>, Wrap>
{
    type Step = RetryPos;
    type Policy = Policy;
    fn map_policy_last(self, f: impl FnOnce(Policy) -> Policy) -> Self {
        self.map_retry(|retry| retry.map_attachment(|bound| bound.map_policy(f)))
    }
}

impl<Rep, Slots, Attachment, Wrap> DestinationLast<RetryPos>
    for Positions<Rep, Slots, Retried<Attachment, OpenDestination>, Wrap>
{
    type Step = StepOpen;
    type Out = Positions<Rep, Slots, Retried<Attachment, FixedDestination>, Wrap>;
    fn destination_last(self, destination: Cow<'static, str>) -> Self::Out {
        self.map_retry(|retry| Retried {
            max_attempts: retry.max_attempts,
            dead_letter: retry.dead_letter,
            attachment: retry.attachment,
            destination: Some(destination),
            state: PhantomData,
        })
    }
}

impl<Rep, Slots, Attachment, Wrap> DestinationLast<RetryPos>
    for Positions<Rep, Slots, Retried<Attachment, FixedDestination>, Wrap>
{
    type Step = StepTaken;
    type Out = Self;
    fn destination_last(self, _destination: Cow<'static, str>) -> Self {
        self
    }
}

impl<M, Policy, Layers, Enc> OutAttachment<M, Policy, Layers, Enc> {
    fn with_transform<N>(
        self,
        transform: N,
    ) -> OutAttachment<M, Policy, PublishTransformStack<Layers, N>, Enc> {
        OutAttachment {
            policy: self.policy,
            transforms: PublishTransformStack::new(self.transforms, transform),
            codec: self.codec,
            marker: PhantomData,
        }
    }

    fn with_codec<Cd>(self, codec: Cd) -> OutAttachment<M, Policy, Layers, CallCodec<Cd>> {
        OutAttachment {
            policy: self.policy,
            transforms: self.transforms,
            codec: CallCodec(codec),
            marker: PhantomData,
        }
    }

    fn map_policy(self, f: impl FnOnce(Policy) -> Policy) -> Self {
        Self {
            policy: f(self.policy),
            ..self
        }
    }
}

// Which transforms a position admits; checked where the transform is written.

/// The options of the publisher that `Policy` pairs into on `B`.
#[doc(hidden)]
pub type PositionOptions<Policy, B> =
    <<Policy as PublishPolicy<Connected<B>>>::Live as Publisher>::Options;

/// The position named last admits the transform `N`.
#[doc(hidden)]
pub trait AdmitsAt<N, Last, Mount, Def, B> {}

impl<N, Rep, Slots, Ret, Wrap, Mount, Def, B> AdmitsAt<N, NoOutBound, Mount, Def, B>
    for Positions<Rep, Slots, Ret, Wrap>
{
}

// The descriptor decides what a retry copy offers; it is known where the registration commits.
impl<N, Rep, Slots, Ret, Wrap, Mount, Def, B> AdmitsAt<N, RetryPos, Mount, Def, B>
    for Positions<Rep, Slots, Ret, Wrap>
{
}

// Never holds: `AddReplyTransform` is what says so.
impl<N, Policy, Slots, Ret, Wrap, Mount, Def, B> AdmitsAt<N, ReplyLast, Mount, Def, B>
    for Positions<WithSource<RawReplyWiring<Policy>>, Slots, Ret, Wrap>
where
    RawReplyWiring<Policy>: AddReplyTransform<N>,
{
}

impl<N, Policy, Enc, PL, BL, Tx, Slots, Ret, Wrap, Mount, Def, B>
    AdmitsAt<N, ReplyLast, Mount, Def, B>
    for Positions<WithSource<ReplyWiring<Policy, Enc, PL, BL, Tx>>, Slots, Ret, Wrap>
where
    B: Broker,
    Policy: PublishPolicy<Connected<B>, Live: Publisher>,
    Def: DeclaresReply,
    PL: PublishTransform<ForReply<Def::Context>, PositionOptions<Policy, B>>,
    N: PublishTransform<ForReply<Def::Context>, PositionOptions<Policy, B>>,
    N::Destination: FitsReply<Mount, Def, PL::Destination>,
{
}

/// A use of the destination that a reply admits, after what earlier transforms took.
#[doc(hidden)]
pub trait FitsReply<Mount, Def, Taken> {}

impl<Mount, Def, Taken> FitsReply<Mount, Def, Taken> for Reads {}

impl<Def, Taken> FitsReply<PublishMount, Def, Taken> for Names
where
    Def: DeclaresReply<Reply: RedirectableReply>,
    Taken: NamingUntaken,
{
}

impl<Def, Taken> FitsReply<BatchPublishMount, Def, Taken> for Names
where
    Def: DeclaresReply,
    BatchPublishMount: MountOffer<Def, Offer: NamingOffered<Def::Reply>>,
    Taken: NamingUntaken,
{
}

impl<N, I, Rep, Slots, Ret, Wrap, Mount, Def, B> AdmitsAt<N, SlotLast<I>, Mount, Def, B>
    for Positions<Rep, Slots, Ret, Wrap>
where
    Slots: AdmitsSlotAt<N, I, B>,
{
}

/// The slot at `Index` admits the transform `N`.
#[doc(hidden)]
pub trait AdmitsSlotAt<N, Index, B> {}

impl<N, M, Policy, Layers, Enc, Tail, B> AdmitsSlotAt<N, Here, B>
    for (WithSource<OutAttachment<M, Policy, Layers, Enc>>, Tail)
where
    B: Broker,
    M: OutSlot,
    Policy: PublishPolicy<Connected<B>, Live: Publisher>,
    Layers: PublishTransform<ForSlot, PositionOptions<Policy, B>>,
    N: PublishTransform<ForSlot, PositionOptions<Policy, B>>,
    N::Destination: FitsOffer<M::Destination, Layers::Destination, M>,
{
}

impl<N, Head, Tail: AdmitsSlotAt<N, I, B>, I, B> AdmitsSlotAt<N, There<I>, B> for (Head, Tail) {}

/// What the reply of a mount offers a naming transform.
#[doc(hidden)]
pub trait MountOffer<Def> {
    /// `Names` where a transform may name the destination.
    type Offer;
}

impl<Def: DeclaresReply<Reply: ReplyOffer>> MountOffer<Def> for PublishMount {
    type Offer = <Def::Reply as ReplyOffer>::Offer;
}

impl<Def> MountOffer<Def> for BatchPublishMount {
    type Offer = Reads;
}
