//! The steps of a mount chain.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::num::NonZeroU32;

use super::bind::{BindAt, OutPosition};
use super::declare::{CapOpen, DeadLetterOpen, DeclareCap, DeclareDeadLetter};
use super::last::{
    AdmitsAt, BatchTransformLast, CodecLast, DestinationLast, DestinationOpen, MapPolicyLast,
    NamedStep, ReplyStep, TransactionalLast, TransformLast,
};
use super::positions::{NoOutBound, Reply, ReplyLast, Retry, RetryPos};
use super::route::{RetryDestinationsDeclared, RouterCommit};
use super::router::RouterBroker;
use crate::reply::{CodecSlotOpen, PublishingDirectly};

/// Replaces the policy of the position named last by one of its type.
///
/// Broker crates write their words for a publish policy as one blanket implementation over this
/// trait, which then serves the reply, every slot and the retry position, on scopes and routers.
pub trait MapPublisher: Sized {
    /// The policy's type.
    type Policy;
    /// Replaces the policy; everything else named on the position stays.
    fn map_publisher(self, f: impl FnOnce(Self::Policy) -> Self::Policy) -> Self;
}

/// A registration in the making on a router; `.build()` returns the router with it.
#[must_use = "the registration is added to the router by `.build()`"]
pub struct RouterWith<Mount, R, Def, Attach, Last = NoOutBound> {
    pub(crate) router: R,
    pub(crate) def: Def,
    pub(crate) attach: Attach,
    state: PhantomData<fn() -> (Mount, Last)>,
}

impl<Mount, R, Def, Attach, Last> RouterWith<Mount, R, Def, Attach, Last> {
    pub(crate) fn new(router: R, def: Def, attach: Attach) -> Self {
        Self {
            router,
            def,
            attach,
            state: PhantomData,
        }
    }

    pub(crate) fn step<Attach2, Last2>(
        self,
        change: impl FnOnce(Attach) -> Attach2,
    ) -> RouterWith<Mount, R, Def, Attach2, Last2> {
        RouterWith::new(self.router, self.def, change(self.attach))
    }

    pub(crate) fn commit(self) -> Attach::Out
    where
        Attach: RouterCommit<Mount, R, Def>,
    {
        self.attach.commit(self.def, self.router)
    }
}

impl<Mount, R, Def, Attach, Last> fmt::Debug for RouterWith<Mount, R, Def, Attach, Last> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RouterWith").finish_non_exhaustive()
    }
}

impl<Mount, R, Def, Attach, Last> MapPublisher for RouterWith<Mount, R, Def, Attach, Last>
where
    Attach: MapPolicyLast<Last, Step: NamedStep>,
{
    type Policy = Attach::Policy;
    fn map_publisher(self, f: impl FnOnce(Self::Policy) -> Self::Policy) -> Self {
        self.step(|attach| attach.map_policy_last(f))
    }
}

impl<Mount, R, Def, Attach, Last> RouterWith<Mount, R, Def, Attach, Last> {
    /// Adds the registration to the router.
    // `Out` is a parameter because the compiler refuses a return type that it cannot work out as
    // "no method", before it comes to the bound that says why.
    pub fn build<Out>(self) -> Out
    where
        Attach: RouterCommit<Mount, R, Def, Out = Out>,
        Out: RetryDestinationsDeclared,
    {
        self.commit()
    }
}

/// The chain steps, alike on a router's chain and on both guards of a scope.
///
/// `$wrap` is the type around the chain, `$via` how it is rebuilt, `$bound` what the new chain owes.
macro_rules! chain_steps {
    (impl [$($g:tt)*] $me:ty, where [$($w:tt)*], out $wrap:ident [$($pre:tt)*], owes [$($bound:tt)*]) => {
        impl<$($g)* Mount, R, Def, Attach, Last> $me where $($w)* {
            /// Binds the publish position marked `marker` to `policy`: a slot's marker, `Reply` or
            /// `Retry`; each once, in any order.
            pub fn out<M, Policy, Index>(
                self,
                marker: M,
                policy: Policy,
            ) -> $wrap<$($pre)* RouterWith<Mount, R, Def, Attach::Out, Index>>
            where
                Attach: BindAt<Mount, M, Policy, Index, Step: OutPosition<M>>,
                RouterWith<Mount, R, Def, Attach::Out, Index>: $($bound)*
            {
                let _ = marker;
                self.advance(|chain| chain.step(|attach| attach.bind_at(policy)))
            }

            /// Binds the reply position: `out(Reply, policy)`.
            pub fn out_reply<Policy>(
                self,
                policy: Policy,
            ) -> $wrap<$($pre)* RouterWith<Mount, R, Def, Attach::Out, ReplyLast>>
            where
                Attach: BindAt<Mount, Reply, Policy, ReplyLast, Step: OutPosition<Reply>>,
                RouterWith<Mount, R, Def, Attach::Out, ReplyLast>: $($bound)*
            {
                self.advance(|chain| chain.step(|attach| attach.bind_at(policy)))
            }

            /// Binds the position that retry copies and dead letters leave through:
            /// `out(Retry, policy)`.
            pub fn out_retry<Policy>(
                self,
                policy: Policy,
            ) -> $wrap<$($pre)* RouterWith<Mount, R, Def, Attach::Out, RetryPos>>
            where
                Attach: BindAt<Mount, Retry, Policy, RetryPos, Step: OutPosition<Retry>>,
                RouterWith<Mount, R, Def, Attach::Out, RetryPos>: $($bound)*
            {
                self.advance(|chain| chain.step(|attach| attach.bind_at(policy)))
            }

            /// Declares how often a message is delivered at most; the first delivery counts.
            pub fn max_attempts(
                self,
                attempts: NonZeroU32,
            ) -> $wrap<$($pre)* RouterWith<Mount, R, Def, Attach::Out, Last>>
            where
                Attach: DeclareCap<Step: CapOpen>,
                RouterWith<Mount, R, Def, Attach::Out, Last>: $($bound)*
            {
                self.advance(|chain| chain.step(|attach| attach.declare_cap(attempts)))
            }

            /// Declares where a message goes that used up its attempts.
            pub fn dead_letter(
                self,
                destination: impl Into<Cow<'static, str>>,
            ) -> $wrap<$($pre)* RouterWith<Mount, R, Def, Attach::Out, Last>>
            where
                Attach: DeclareDeadLetter<Step: DeadLetterOpen>,
                RouterWith<Mount, R, Def, Attach::Out, Last>: $($bound)*
            {
                let destination = destination.into();
                self.advance(|chain| chain.step(|attach| attach.declare_dead_letter(destination)))
            }

            /// Names where the retry copies go, over the descriptor's own address.
            pub fn to(
                self,
                destination: impl Into<Cow<'static, str>>,
            ) -> $wrap<$($pre)* RouterWith<Mount, R, Def, Attach::Out, Last>>
            where
                Attach: DestinationLast<Last, Step: DestinationOpen>,
                RouterWith<Mount, R, Def, Attach::Out, Last>: $($bound)*
            {
                let destination = destination.into();
                self.advance(|chain| chain.step(|attach| attach.destination_last(destination)))
            }

            /// Names the codec of the position named last.
            pub fn codec<Cd>(
                self,
                codec: Cd,
            ) -> $wrap<$($pre)* RouterWith<Mount, R, Def, Attach::Out, Last>>
            where
                Attach: CodecLast<Cd, Last, Step: NamedStep, Slot: CodecSlotOpen>,
                RouterWith<Mount, R, Def, Attach::Out, Last>: $($bound)*
            {
                self.advance(|chain| chain.step(|attach| attach.codec_last(codec)))
            }

            /// Adds a publish transform to the position named last, after those written before it.
            pub fn transform<N>(
                self,
                transform: N,
            ) -> $wrap<$($pre)* RouterWith<Mount, R, Def, Attach::Out, Last>>
            where
                R: RouterBroker,
                Attach: TransformLast<N, Last, Step: NamedStep>
                    + AdmitsAt<N, Last, Mount, Def, R::Broker>,
                RouterWith<Mount, R, Def, Attach::Out, Last>: $($bound)*
            {
                self.advance(|chain| chain.step(|attach| attach.transform_last(transform)))
            }

            /// Adds a transform over each reply of a batch.
            pub fn batch_transform<N>(
                self,
                transform: N,
            ) -> $wrap<$($pre)* RouterWith<Mount, R, Def, Attach::Out, Last>>
            where
                Attach: BatchTransformLast<N, Last, Step: ReplyStep<Mount>>,
                RouterWith<Mount, R, Def, Attach::Out, Last>: $($bound)*
            {
                self.advance(|chain| chain.step(|attach| attach.batch_transform_last(transform)))
            }

            /// Lets the replies of one batch leave in one transaction.
            pub fn transactional(
                self,
            ) -> $wrap<$($pre)* RouterWith<Mount, R, Def, Attach::Out, Last>>
            where
                Attach: TransactionalLast<
                    Last,
                    Step: ReplyStep<Mount>,
                    State: PublishingDirectly,
                >,
                RouterWith<Mount, R, Def, Attach::Out, Last>: $($bound)*
            {
                self.advance(|chain| chain.step(|attach| attach.transactional_last()))
            }
        }
    };
}

pub(crate) use chain_steps;

impl<Mount, R, Def, Attach, Last> RouterWith<Mount, R, Def, Attach, Last> {
    fn advance<Chain>(self, step: impl FnOnce(Self) -> Chain) -> Chain {
        step(self)
    }
}

type Plain<Chain> = Chain;

chain_steps! {
    impl [] RouterWith<Mount, R, Def, Attach, Last>, where [], out Plain [], owes []
}
