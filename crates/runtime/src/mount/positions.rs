//! The publish positions of a mount chain: the reply, the slots and the retry copies.
//!
//! A chain carries one [`Positions`]; each step turns it into the next. `Last` names the position
//! bound last, which the steps after it ride.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::num::NonZeroU32;

use crate::layers::Identity;
use crate::publish::{PublishTransformIdentity, UnnamedCodec};
use crate::reply::{RawReplyWiring, ReplyWiring};
use crate::slot::OutSlot;

/// The positions of one registration.
#[doc(hidden)]
pub struct Positions<Rep, Slots, Ret, Wrap = Identity> {
    pub(crate) reply: Rep,
    pub(crate) slots: Slots,
    pub(crate) retry: Ret,
    pub(crate) wrap: Wrap,
}

impl<Rep, Slots, Ret, Wrap> fmt::Debug for Positions<Rep, Slots, Ret, Wrap> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Positions").finish_non_exhaustive()
    }
}

impl<Rep, Slots, Ret, Wrap> Positions<Rep, Slots, Ret, Wrap> {
    pub(crate) fn map_reply<Rep2>(
        self,
        change: impl FnOnce(Rep) -> Rep2,
    ) -> Positions<Rep2, Slots, Ret, Wrap> {
        let Self {
            reply,
            slots,
            retry,
            wrap,
        } = self;
        Positions {
            reply: change(reply),
            slots,
            retry,
            wrap,
        }
    }

    pub(crate) fn map_slots<Slots2>(
        self,
        change: impl FnOnce(Slots) -> Slots2,
    ) -> Positions<Rep, Slots2, Ret, Wrap> {
        let Self {
            reply,
            slots,
            retry,
            wrap,
        } = self;
        Positions {
            reply,
            slots: change(slots),
            retry,
            wrap,
        }
    }

    pub(crate) fn map_retry<Ret2>(
        self,
        change: impl FnOnce(Ret) -> Ret2,
    ) -> Positions<Rep, Slots, Ret2, Wrap> {
        let Self {
            reply,
            slots,
            retry,
            wrap,
        } = self;
        Positions {
            reply,
            slots,
            retry: change(retry),
            wrap,
        }
    }
}

/// The marker of the reply position.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Reply;

/// The marker of the position that retry copies and dead letters leave through.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Retry;

impl OutSlot for Retry {
    const NAME: &'static str = "Retry";
    type Destination = crate::publish::Reads;
}

/// A registration without a reply.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, Default)]
pub struct NoReply;

/// A reply position that nobody bound: the broker's default policy publishes.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, Default)]
pub struct DefaultReply;

/// A slot that nobody bound.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, Default)]
pub struct MissingSlot<M>(PhantomData<M>);

/// A bound position.
#[doc(hidden)]
#[derive(Debug)]
pub struct WithSource<Source>(pub(crate) Source);

/// What one bound slot, or the retry position, was bound to.
#[doc(hidden)]
#[derive(Debug)]
pub struct OutAttachment<M, Policy, Layers = PublishTransformIdentity, Enc = UnnamedCodec> {
    pub(crate) policy: Policy,
    pub(crate) transforms: Layers,
    pub(crate) codec: Enc,
    pub(crate) marker: PhantomData<fn() -> M>,
}

impl<M, Policy> OutAttachment<M, Policy> {
    pub(crate) fn new(policy: Policy) -> Self {
        Self {
            policy,
            transforms: PublishTransformIdentity,
            codec: UnnamedCodec::new(),
            marker: PhantomData,
        }
    }
}

/// Declared, in the typestate of the retry declaration.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, Default)]
pub struct Present;

/// Not declared.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, Default)]
pub struct Absent;

/// The retry position before a policy is bound: the broker's default policy publishes the copies.
#[doc(hidden)]
pub struct Unretried<Cap = Absent, Dead = Absent> {
    pub(crate) max_attempts: Option<NonZeroU32>,
    pub(crate) dead_letter: Option<Cow<'static, str>>,
    state: PhantomData<fn() -> (Cap, Dead)>,
}

impl Unretried {
    pub(crate) const fn new() -> Self {
        Self {
            max_attempts: None,
            dead_letter: None,
            state: PhantomData,
        }
    }
}

impl<Cap, Dead> Unretried<Cap, Dead> {
    pub(crate) fn capped(self, attempts: NonZeroU32) -> Unretried<Present, Dead> {
        Unretried {
            max_attempts: Some(attempts),
            dead_letter: self.dead_letter,
            state: PhantomData,
        }
    }

    pub(crate) fn dead_lettered(self, destination: Cow<'static, str>) -> Unretried<Cap, Present> {
        Unretried {
            max_attempts: self.max_attempts,
            dead_letter: Some(destination),
            state: PhantomData,
        }
    }
}

impl<Cap, Dead> fmt::Debug for Unretried<Cap, Dead> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Unretried")
            .field("max_attempts", &self.max_attempts)
            .field("dead_letter", &self.dead_letter)
            .finish()
    }
}

/// The destination of the retry copies is the descriptor's, or a transform's.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, Default)]
pub struct OpenDestination;

/// The destination of the retry copies was named with `.to(..)`.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, Default)]
pub struct FixedDestination;

/// The retry position with a policy of its own.
#[doc(hidden)]
pub struct Retried<Attachment, Dest = OpenDestination> {
    pub(crate) max_attempts: Option<NonZeroU32>,
    pub(crate) dead_letter: Option<Cow<'static, str>>,
    pub(crate) attachment: Attachment,
    pub(crate) destination: Option<Cow<'static, str>>,
    pub(crate) state: PhantomData<fn() -> Dest>,
}

impl<Attachment, Dest> Retried<Attachment, Dest> {
    pub(crate) fn map_attachment<Attachment2>(
        self,
        change: impl FnOnce(Attachment) -> Attachment2,
    ) -> Retried<Attachment2, Dest> {
        Retried {
            max_attempts: self.max_attempts,
            dead_letter: self.dead_letter,
            attachment: change(self.attachment),
            destination: self.destination,
            state: PhantomData,
        }
    }
}

impl<Attachment, Dest> fmt::Debug for Retried<Attachment, Dest> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Retried")
            .field("destination", &self.destination)
            .finish_non_exhaustive()
    }
}

/// No position was bound yet.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, Default)]
pub struct NoOutBound;

/// The reply position was bound last.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, Default)]
pub struct ReplyLast;

/// The slot at the index `I` of the list was bound last.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, Default)]
pub struct SlotLast<I>(PhantomData<I>);

/// The retry position was bound last.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, Default)]
pub struct RetryPos;

/// The head of a slot list.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, Default)]
pub struct Here;

/// An index further down a slot list.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, Default)]
pub struct There<I>(PhantomData<I>);

/// The unbound slot list of a tuple of markers.
#[doc(hidden)]
pub trait InitSlots {
    /// A list of [`MissingSlot`]s.
    type Init;
    /// The list.
    fn init() -> Self::Init;
}

macro_rules! init_slots {
    ($(($($m:ident),*) => $list:ty = $value:expr;)+) => {$(
        impl<$($m),*> InitSlots for ($($m,)*) {
            type Init = $list;
            fn init() -> Self::Init {
                $value
            }
        }
    )+};
}

init_slots! {
    () => () = ();
    (A) => (MissingSlot<A>, ()) = (MissingSlot(PhantomData), ());
    (A, B) => (MissingSlot<A>, (MissingSlot<B>, ()))
        = (MissingSlot(PhantomData), (MissingSlot(PhantomData), ()));
    (A, B, C) => (MissingSlot<A>, (MissingSlot<B>, (MissingSlot<C>, ())))
        = (MissingSlot(PhantomData), (MissingSlot(PhantomData), (MissingSlot(PhantomData), ())));
}

/// Wires a policy into the reply position of one mount.
#[doc(hidden)]
pub trait ReplyAttachment<Policy> {
    /// The wiring the chain's steps configure.
    type Wiring;
    /// The wiring, with nothing named yet.
    fn wire(policy: Policy) -> Self::Wiring;
}

/// Mount of one message without a reply.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct SoloMount;

/// Mount of one message without a reply, under layers of the route's own.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct LayeredMount;

/// Mount of one message with an encoded reply.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct PublishMount;

/// Mount of one message with a reply of its own bytes.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct RawReplyMount;

/// Mount of a batch without a reply.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct BatchMount;

/// Mount of a batch with encoded replies.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct BatchPublishMount;

impl<Policy> ReplyAttachment<Policy> for PublishMount {
    type Wiring = ReplyWiring<Policy>;
    fn wire(policy: Policy) -> Self::Wiring {
        ReplyWiring::new(policy)
    }
}

impl<Policy> ReplyAttachment<Policy> for BatchPublishMount {
    type Wiring = ReplyWiring<Policy>;
    fn wire(policy: Policy) -> Self::Wiring {
        ReplyWiring::new(policy)
    }
}

impl<Policy> ReplyAttachment<Policy> for RawReplyMount {
    type Wiring = RawReplyWiring<Policy>;
    fn wire(policy: Policy) -> Self::Wiring {
        RawReplyWiring(policy)
    }
}
