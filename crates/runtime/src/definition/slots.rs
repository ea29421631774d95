//! Binding a definition's slots to what the mount site wired.

use ruststream_core::{ConnectedBroker, PublishPolicy};

use super::value::{HandleValue, ReplyValue, Sealed};
use crate::slot::{BindSlots, OutSlot, Outs, Slot};

/// One table row an arity: `(marker, policy, codec, pipeline, set)` a slot.
macro_rules! bind_slots {
    ($(($($m:ident $p:ident $e:ident $l:ident $b:ident),+))+) => {$(
        impl<Conn, A, Cx, H, Doc, $($m, $p, $e, $l, $b),+>
            BindSlots<Conn, ($(($p, $e, $l),)+)>
            for Sealed<HandleValue<A, (), Outs<($(Slot<$m, $p::Live, $e, $l, $b>,)+)>, Cx, H, Doc>>
        where
            Conn: ConnectedBroker,
            $($m: OutSlot, $p: PublishPolicy<Conn>,)+
        {
            type Bound = Self;
            type Extra = ($(($p, $e, $l),)+);
            fn bind(self, sources: ($(($p, $e, $l),)+)) -> (Self, Self::Extra) {
                (self, sources)
            }
        }

        impl<Conn, A, R, Cx, H, Doc, Dest, $($m, $p, $e, $l, $b),+>
            BindSlots<Conn, ($(($p, $e, $l),)+)>
            for Sealed<
                ReplyValue<
                    HandleValue<A, R, Outs<($(Slot<$m, $p::Live, $e, $l, $b>,)+)>, Cx, H, Doc>,
                    Dest,
                >,
            >
        where
            Conn: ConnectedBroker,
            $($m: OutSlot, $p: PublishPolicy<Conn>,)+
        {
            type Bound = Self;
            type Extra = ($(($p, $e, $l),)+);
            fn bind(self, sources: ($(($p, $e, $l),)+)) -> (Self, Self::Extra) {
                (self, sources)
            }
        }
    )+};
}

bind_slots! {
    (M0 P0 E0 L0 B0)
    (M0 P0 E0 L0 B0, M1 P1 E1 L1 B1)
    (M0 P0 E0 L0 B0, M1 P1 E1 L1 B1, M2 P2 E2 L2 B2)
}
