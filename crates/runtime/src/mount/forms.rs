//! The forms of a registration: what the body takes, whether it replies, whether it has slots.
//!
//! A definition names one of these tokens, by hand or through the attribute; the token decides
//! which guard `include` returns and which steps it offers.

use ruststream_core::Broker;

use super::chain::RouterWith;
use super::guard::{Mounting, MountingSlots};
use super::positions::{
    BatchMount, BatchPublishMount, DefaultReply, InitSlots, NoOutBound, NoReply, Positions,
    PublishMount, RawReplyMount, SoloMount, Unretried,
};
use super::route::{RouterCommit, ScopeCommit};
use super::router::Router;
use crate::app::BrokerScope;
use crate::layers::Identity;
use crate::slot::HasSlots;

/// What `scope.include` returns for one form.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "this definition is not ready to mount: finish it with `.build()`",
    label = "this definition is of the form `{Self}`",
    note = "the definition is `{Def}`"
)]
pub trait IncludeMount<'s, B: Broker, Layers, C, State, Pipeline, Def> {
    /// The guard.
    type Out;
    /// Opens it.
    fn begin(def: Def, scope: &'s mut BrokerScope<B, Layers, C, State, Pipeline>) -> Self::Out;
}

/// What `router.include` returns for one form.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "this definition is not ready to mount: finish it with `.build()`",
    label = "this definition is of the form `{Self}`",
    note = "the definition is `{Def}`"
)]
pub trait RouterMount<R, Def> {
    /// The grown router, or the chain that grows it.
    type Out;
    /// Includes the definition.
    fn begin(def: Def, router: R) -> Self::Out;
}

pub(crate) type FreshChain<Mount, R, Def, Rep, Slots> =
    RouterWith<Mount, R, Def, Positions<Rep, Slots, Unretried>, NoOutBound>;

fn fresh<Mount, R, Def, Rep, Slots>(
    def: Def,
    router: R,
    reply: Rep,
    slots: Slots,
) -> FreshChain<Mount, R, Def, Rep, Slots> {
    RouterWith::new(
        router,
        def,
        Positions {
            reply,
            slots,
            retry: Unretried::new(),
            wrap: Identity,
        },
    )
}

/// Forms that a statement mounts: `b.include(handler);`.
macro_rules! mounting {
    ($($(#[$docs:meta])* $form:ident: $mount:ident, $reply:ident, router $router:ident;)+) => {$(
        $(#[$docs])*
        #[derive(Debug, Clone, Copy)]
        pub struct $form;

        impl<'s, B, Layers, C, State, Pipeline, Def>
            IncludeMount<'s, B, Layers, C, State, Pipeline, Def> for $form
        where
            B: Broker + 'static,
            C: Clone + 's,
            Layers: 's,
            State: 's,
            Pipeline: Clone + 's,
            FreshChain<$mount, Router<B, (), C, Identity, Pipeline>, Def, $reply, ()>:
                ScopeCommit<B, Layers, C, State, Pipeline>,
        {
            type Out = Mounting<
                's, B, Layers, C, State, Pipeline,
                FreshChain<$mount, Router<B, (), C, Identity, Pipeline>, Def, $reply, ()>,
            >;
            fn begin(
                def: Def,
                scope: &'s mut BrokerScope<B, Layers, C, State, Pipeline>,
            ) -> Self::Out {
                let router = scope.router();
                Mounting::new(scope, fresh(def, router, $reply, ()))
            }
        }

        mounting!(@router $router $form $mount $reply);
    )+};
    // Nothing to attach: the router grows at once.
    (@router grows $form:ident $mount:ident $reply:ident) => {
        impl<B, Routes, RC, RL, RP, Def> RouterMount<Router<B, Routes, RC, RL, RP>, Def> for $form
        where
            B: Broker + 'static,
            Positions<$reply, (), Unretried>:
                RouterCommit<$mount, Router<B, Routes, RC, RL, RP>, Def>,
        {
            type Out = <Positions<$reply, (), Unretried> as RouterCommit<
                $mount, Router<B, Routes, RC, RL, RP>, Def,
            >>::Out;
            fn begin(def: Def, router: Router<B, Routes, RC, RL, RP>) -> Self::Out {
                fresh::<$mount, _, _, _, _>(def, router, $reply, ()).commit()
            }
        }
    };
    (@router chains $form:ident $mount:ident $reply:ident) => {
        impl<B, Routes, RC, RL, RP, Def> RouterMount<Router<B, Routes, RC, RL, RP>, Def> for $form
        where
            B: Broker + 'static,
        {
            type Out = FreshChain<$mount, Router<B, Routes, RC, RL, RP>, Def, $reply, ()>;
            fn begin(def: Def, router: Router<B, Routes, RC, RL, RP>) -> Self::Out {
                fresh(def, router, $reply, ())
            }
        }
    };
}

/// Forms with slots: only `.build()` mounts them.
macro_rules! mounting_slots {
    ($($(#[$docs:meta])* $form:ident: $mount:ident, $reply:ident;)+) => {$(
        $(#[$docs])*
        #[derive(Debug, Clone, Copy)]
        pub struct $form;

        impl<'s, B, Layers, C, State, Pipeline, Def>
            IncludeMount<'s, B, Layers, C, State, Pipeline, Def> for $form
        where
            B: Broker + 'static,
            C: Clone + 's,
            Layers: 's,
            State: 's,
            Pipeline: Clone + 's,
            Def: HasSlots<Markers: InitSlots>,
        {
            type Out = MountingSlots<
                's, B, Layers, C, State, Pipeline,
                FreshChain<
                    $mount, Router<B, (), C, Identity, Pipeline>, Def, $reply,
                    <Def::Markers as InitSlots>::Init,
                >,
            >;
            #[track_caller]
            fn begin(
                def: Def,
                scope: &'s mut BrokerScope<B, Layers, C, State, Pipeline>,
            ) -> Self::Out {
                let router = scope.router();
                let slots = <Def::Markers as InitSlots>::init();
                let chain = fresh(def, router, $reply, slots);
                MountingSlots::new(scope, chain, std::any::type_name::<Def>())
            }
        }

        impl<B, Routes, RC, RL, RP, Def> RouterMount<Router<B, Routes, RC, RL, RP>, Def> for $form
        where
            B: Broker + 'static,
            Def: HasSlots<Markers: InitSlots>,
        {
            type Out = FreshChain<
                $mount, Router<B, Routes, RC, RL, RP>, Def, $reply,
                <Def::Markers as InitSlots>::Init,
            >;
            fn begin(def: Def, router: Router<B, Routes, RC, RL, RP>) -> Self::Out {
                fresh(def, router, $reply, <Def::Markers as InitSlots>::init())
            }
        }
    )+};
}

mounting! {
    /// One decoded message, no reply.
    Subscribing: SoloMount, NoReply, router grows;
    /// One message built from its bytes, no reply.
    RawSubscribing: SoloMount, NoReply, router grows;
    /// One message, an encoded reply.
    Publishing: PublishMount, DefaultReply, router chains;
    /// One message, a reply of its own bytes.
    RawReply: RawReplyMount, DefaultReply, router chains;
    /// A batch of decoded messages, no reply.
    Batch: BatchMount, NoReply, router grows;
    /// A batch of messages built from their bytes, no reply.
    RawBatch: BatchMount, NoReply, router grows;
    /// A batch of carried values, no reply.
    CarriedBatch: BatchMount, NoReply, router grows;
    /// A batch, encoded replies.
    BatchPublishing: BatchPublishMount, DefaultReply, router chains;
}

mounting_slots! {
    /// One message, slots.
    Out: SoloMount, NoReply;
    /// One message, an encoded reply, slots.
    PublishingOut: PublishMount, DefaultReply;
    /// One message, a reply of its own bytes, slots.
    RawReplyOut: RawReplyMount, DefaultReply;
    /// A batch, slots.
    BatchOut: BatchMount, NoReply;
    /// A batch, encoded replies, slots.
    BatchPublishingOut: BatchPublishMount, DefaultReply;
}
