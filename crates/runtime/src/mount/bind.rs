//! Binding a position: `.out(marker, policy)`.

use std::marker::PhantomData;

use super::last::{StepOpen, StepTaken};
use super::positions::{
    DefaultReply, Here, MissingSlot, NoReply, OutAttachment, Positions, Reply, ReplyAttachment,
    ReplyLast, Retried, Retry, RetryPos, SlotLast, There, Unretried, WithSource,
};

/// The positions with the one marked `M` bound.
///
/// Implemented for every state of the reply and retry positions, so that the marker alone decides
/// the index and `Step` says why a position cannot be bound.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "this registration has no unbound publish position marked `{M}`: bind each `Out` marker of the handler once, and `Reply` if it replies",
    label = "`{M}` is not a position of this handler, or it is bound already",
    note = "positions are `Reply` on a handler that replies, `Retry` on one whose copies this \
            process publishes, and the marker of each `Out<.., Marker>` parameter; each is bound once"
)]
pub trait BindAt<Mount, M, Policy, Index> {
    /// [`StepOpen`] where the position can be bound.
    type Step;
    /// The positions after the step.
    type Out;
    /// Binds it.
    fn bind_at(self, policy: Policy) -> Self::Out;
}

/// The position marked `M` can still be bound.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "this registration has no unbound publish position marked `{M}`: bind each `Out` marker of the handler once, and `Reply` if it replies",
    label = "the handler has no such position, or it is bound already",
    note = "positions are `Reply` on a handler that replies, `Retry` on one whose copies this \
            process publishes, and the marker of each `Out<.., Marker>` parameter; each is bound once"
)]
pub trait OutPosition<M> {}

impl<M> OutPosition<M> for StepOpen {}

impl<Mount, Policy, Slots, Ret, Wrap> BindAt<Mount, Reply, Policy, ReplyLast>
    for Positions<DefaultReply, Slots, Ret, Wrap>
where
    Mount: ReplyAttachment<Policy>,
{
    type Step = StepOpen;
    type Out = Positions<WithSource<Mount::Wiring>, Slots, Ret, Wrap>;
    fn bind_at(self, policy: Policy) -> Self::Out {
        self.map_reply(|_| WithSource(Mount::wire(policy)))
    }
}

impl<Mount, Policy, Rep, Slots, Cap, Dead, Wrap> BindAt<Mount, Retry, Policy, RetryPos>
    for Positions<Rep, Slots, Unretried<Cap, Dead>, Wrap>
{
    type Step = StepOpen;
    type Out = Positions<Rep, Slots, Retried<OutAttachment<Retry, Policy>>, Wrap>;
    fn bind_at(self, policy: Policy) -> Self::Out {
        self.map_retry(|declared| Retried {
            max_attempts: declared.max_attempts,
            dead_letter: declared.dead_letter,
            attachment: OutAttachment::new(policy),
            destination: None,
            state: PhantomData,
        })
    }
}

macro_rules! unbindable {
    ($(<$($g:ident),*> $marker:ident at $index:ident in $positions:ty;)+) => {$(
        impl<Mount, Policy, Slots, Wrap, $($g),*> BindAt<Mount, $marker, Policy, $index>
            for $positions
        {
            type Step = StepTaken;
            type Out = Self;
            fn bind_at(self, _policy: Policy) -> Self {
                self
            }
        }
    )+};
}

unbindable! {
    <Ret> Reply at ReplyLast in Positions<NoReply, Slots, Ret, Wrap>;
    <Wiring, Ret> Reply at ReplyLast in Positions<WithSource<Wiring>, Slots, Ret, Wrap>;
    <Rep, Bound, Dest> Retry at RetryPos in Positions<Rep, Slots, Retried<Bound, Dest>, Wrap>;
}

impl<Mount, M, Policy, Rep, Slots, Ret, Wrap, I> BindAt<Mount, M, Policy, SlotLast<I>>
    for Positions<Rep, Slots, Ret, Wrap>
where
    Slots: BindSlot<M, I>,
{
    type Step = StepOpen;
    type Out = Positions<Rep, Slots::Out<OutAttachment<M, Policy>>, Ret, Wrap>;
    fn bind_at(self, policy: Policy) -> Self::Out {
        self.map_slots(|slots| slots.bind(OutAttachment::new(policy)))
    }
}

/// A slot list with the slot marked `M` bound.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "this registration has no unbound publish position marked `{M}`: bind each `Out` marker of the handler once, and `Reply` if it replies",
    label = "`{M}` is not a position of this handler, or it is bound already",
    note = "positions are `Reply` on a handler that replies, `Retry` on one whose copies this \
            process publishes, and the marker of each `Out<.., Marker>` parameter; each is bound once"
)]
pub trait BindSlot<M, Index> {
    /// The list after the step.
    type Out<Src>;
    /// Binds it.
    fn bind<Src>(self, source: Src) -> Self::Out<Src>;
}

#[diagnostic::do_not_recommend]
impl<M, Tail> BindSlot<M, Here> for (MissingSlot<M>, Tail) {
    type Out<Src> = (WithSource<Src>, Tail);
    fn bind<Src>(self, source: Src) -> Self::Out<Src> {
        (WithSource(source), self.1)
    }
}

#[diagnostic::do_not_recommend]
impl<M, Head, Tail, I> BindSlot<M, There<I>> for (Head, Tail)
where
    Tail: BindSlot<M, I>,
{
    type Out<Src> = (Head, Tail::Out<Src>);
    fn bind<Src>(self, source: Src) -> Self::Out<Src> {
        (self.0, self.1.bind(source))
    }
}
