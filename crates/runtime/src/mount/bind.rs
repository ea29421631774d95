//! Binding a position: `.out(marker, policy)`.

use std::marker::PhantomData;

use super::positions::{
    DefaultReply, Here, MissingSlot, OutAttachment, Positions, Reply, ReplyAttachment, ReplyLast,
    Retried, Retry, RetryPos, SlotLast, There, Unretried, WithSource,
};
use crate::slot::OutSlot;

/// The positions with the one marked `M` bound.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "this registration has no unbound publish position marked `{M}`",
    label = "`{M}` is not a position of this handler, or it is bound already",
    note = "positions are `Reply` on a handler that replies, `Retry` on one whose copies this \
            process publishes, and the marker of each `Out<.., Marker>` parameter; each is bound once"
)]
pub trait BindAt<Mount, M, Policy, Index> {
    /// The positions after the step.
    type Out;
    /// Binds it.
    fn bind_at(self, policy: Policy) -> Self::Out;
}

impl<Mount, Policy, Slots, Ret, Wrap> BindAt<Mount, Reply, Policy, ReplyLast>
    for Positions<DefaultReply, Slots, Ret, Wrap>
where
    Mount: ReplyAttachment<Policy>,
{
    type Out = Positions<WithSource<Mount::Wiring>, Slots, Ret, Wrap>;
    fn bind_at(self, policy: Policy) -> Self::Out {
        self.map_reply(|_| WithSource(Mount::wire(policy)))
    }
}

impl<Mount, Policy, Rep, Slots, Cap, Dead, Wrap> BindAt<Mount, Retry, Policy, RetryPos>
    for Positions<Rep, Slots, Unretried<Cap, Dead>, Wrap>
{
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

impl<Mount, M, Policy, Rep, Slots, Ret, Wrap, I> BindAt<Mount, M, Policy, SlotLast<I>>
    for Positions<Rep, Slots, Ret, Wrap>
where
    M: OutSlot,
    Slots: BindSlot<M, OutAttachment<M, Policy>, I>,
{
    type Out = Positions<Rep, Slots::Out, Ret, Wrap>;
    fn bind_at(self, policy: Policy) -> Self::Out {
        self.map_slots(|slots| slots.bind(OutAttachment::new(policy)))
    }
}

/// A slot list with the slot marked `M` bound.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "this registration has no unbound publish position marked `{M}`",
    label = "`{M}` is not a slot of this handler, or it is bound already",
    note = "a slot is declared by an `Out<.., Marker>` parameter of the handler and bound once"
)]
pub trait BindSlot<M, Src, Index> {
    /// The list after the step.
    type Out;
    /// Binds it.
    fn bind(self, source: Src) -> Self::Out;
}

impl<M, Src, Tail> BindSlot<M, Src, Here> for (MissingSlot<M>, Tail) {
    type Out = (WithSource<Src>, Tail);
    fn bind(self, source: Src) -> Self::Out {
        (WithSource(source), self.1)
    }
}

impl<M, Src, Head, Tail, I> BindSlot<M, Src, There<I>> for (Head, Tail)
where
    Tail: BindSlot<M, Src, I>,
{
    type Out = (Head, Tail::Out);
    fn bind(self, source: Src) -> Self::Out {
        (self.0, self.1.bind(source))
    }
}
