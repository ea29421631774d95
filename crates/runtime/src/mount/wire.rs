//! The slots of a registration: bound to a definition at the mount, paired at startup.

use std::future::Future;

use ruststream_core::codec::{Codec, SurfaceCodec};
use ruststream_core::{ConnectedBroker, PairError, PublishPolicy};

use super::positions::{OutAttachment, WithSource};
use crate::app::BoxError;
use crate::docs::OutgoingMessageMetadata;
use crate::observe::Observed;
use crate::publish::{
    CallCodec, LowerOutTransforms, NarrowToUse, OutPipeline, SlotStackUse, UnnamedCodec,
};
use crate::slot::{BindSlots, OutSlot, Outs, Slot};

/// The codec of a slot: its own, or the surface's (PUB-412).
#[doc(hidden)]
pub trait SlotCodec<Surface> {
    /// The codec.
    type Codec;
    /// The codec.
    fn resolve(self, surface: &Surface) -> Self::Codec;
}

impl<Surface: SurfaceCodec> SlotCodec<Surface> for UnnamedCodec {
    type Codec = Surface::Codec;
    fn resolve(self, surface: &Surface) -> Surface::Codec {
        surface.surface_codec()
    }
}

impl<Surface, C> SlotCodec<Surface> for CallCodec<C> {
    type Codec = C;
    fn resolve(self, _surface: &Surface) -> C {
        self.0
    }
}

/// One bound slot, resolved against its surface.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "this registration is not ready to mount: bind each slot before `.build()`, `.out(Marker, policy)`",
    label = "a slot is unbound: `{Self}`",
    note = "a slot is an `Out<.., Marker>` parameter of the handler; `DefaultSlot` is the marker of one that names none"
)]
pub trait SlotSource<Conn, Surface, Pipe> {
    /// `(policy, codec, pipeline)`.
    type Source;
    /// Resolves it.
    fn resolve(self, surface: &Surface, pipe: &Pipe) -> Self::Source;
}

/// The policy of a slot, narrowed to what its transforms leave it.
type Narrowed<L, P, Conn> =
    <<L as SlotStackUse<<P as PublishPolicy<Conn>>::Live>>::Destination as NarrowToUse<P>>::Out;

impl<Conn, Surface, Pipe, M, P, L, E> SlotSource<Conn, Surface, Pipe>
    for WithSource<OutAttachment<M, P, L, E>>
where
    Conn: ConnectedBroker,
    Pipe: Clone,
    M: OutSlot,
    P: PublishPolicy<Conn>,
    L: SlotStackUse<P::Live> + LowerOutTransforms<Pipe>,
    L::Destination: NarrowToUse<P>,
    E: SlotCodec<Surface>,
{
    type Source = (Narrowed<L, P, Conn>, E::Codec, L::Out);
    fn resolve(self, surface: &Surface, pipe: &Pipe) -> Self::Source {
        let OutAttachment {
            policy,
            transforms,
            codec,
            ..
        } = self.0;
        (
            <L::Destination as NarrowToUse<P>>::narrow(policy),
            codec.resolve(surface),
            transforms.lower(M::NAME, pipe.clone()),
        )
    }
}

/// A slot list bound to a definition.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "this registration is not ready to mount: bind each slot before `.build()`, `.out(Marker, policy)`",
    label = "its slots are not those of the definition, or one is unbound: `{Self}`"
)]
pub trait WireSlots<Conn, Surface, Pipe, Def> {
    /// The definition over its bound slots.
    type Bound;
    /// What is paired at startup.
    type Sources;
    /// Binds them.
    fn wire(self, def: Def, surface: &Surface, pipe: &Pipe) -> (Self::Bound, Self::Sources);
}

impl<Conn, Surface, Pipe, Def> WireSlots<Conn, Surface, Pipe, Def> for () {
    type Bound = Def;
    type Sources = ();
    fn wire(self, def: Def, _surface: &Surface, _pipe: &Pipe) -> (Def, ()) {
        (def, ())
    }
}

macro_rules! wire_slots {
    ($($list:ty = ($($a:ident: $field:tt $(. $more:tt)*),+) [$($p:ident)+];)+) => {$(
        impl<Conn, Surface, Pipe, Def, $($a),+> WireSlots<Conn, Surface, Pipe, Def> for $list
        where
            Conn: ConnectedBroker,
            $($a: SlotSource<Conn, Surface, Pipe>,)+
            Def: BindSlots<Conn, ($($a::Source,)+)>,
        {
            type Bound = Def::Bound;
            type Sources = Def::Extra;
            fn wire(
                self,
                def: Def,
                surface: &Surface,
                pipe: &Pipe,
            ) -> (Self::Bound, Self::Sources) {
                def.bind(($(self.$field $(.$more)* .resolve(surface, pipe),)+))
            }
        }
    )+};
}

wire_slots! {
    (A0, ()) = (A0: 0) [a];
    (A0, (A1, ())) = (A0: 0, A1: 1.0) [a b];
    (A0, (A1, (A2, ()))) = (A0: 0, A1: 1.0, A2: 1.1.0) [a b c];
}

/// Pairs the slots' policies, in the order of the body's slots.
#[doc(hidden)]
pub trait PairOuts<Conn, O>: Send + 'static {
    /// Pairs them.
    ///
    /// # Errors
    ///
    /// A policy that does not pair, with its slot's name.
    fn pair(self, connected: &Conn) -> impl Future<Output = Result<O, BoxError>> + Send;
    /// Adds to the messages of the slots what the slots publish them with.
    fn describe(&self, outgoing: &mut [OutgoingMessageMetadata]);
}

impl<Conn: Sync> PairOuts<Conn, ()> for () {
    async fn pair(self, _connected: &Conn) -> Result<(), BoxError> {
        Ok(())
    }
    fn describe(&self, _outgoing: &mut [OutgoingMessageMetadata]) {}
}

macro_rules! pair_outs {
    ($(($($m:ident $p:ident $e:ident $l:ident $b:ident $f:tt),+))+) => {$(
        impl<Conn, $($m, $p, $e, $l, $b),+>
            PairOuts<Conn, Outs<($(Slot<$m, $p::Live, $e, $l, $b>,)+)>> for ($(($p, $e, $l),)+)
        where
            Conn: ConnectedBroker,
            $(
                $m: OutSlot,
                $p: PublishPolicy<Conn, Live: Send + Sync> + Send + 'static,
                $e: Codec + Send + Sync + 'static,
                $l: OutPipeline<$p::Live> + 'static,
            )+
        {
            async fn pair(
                self,
                connected: &Conn,
            ) -> Result<Outs<($(Slot<$m, $p::Live, $e, $l, $b>,)+)>, BoxError> {
                Ok(Outs::new(($({
                    let (policy, codec, pipeline) = self.$f;
                    let live = Observed::pairing(policy.pair(connected))
                        .await
                        .map_err(|source| SlotPairError { slot: $m::NAME, source })?;
                    Slot::new(live, codec, pipeline)
                },)+)))
            }

            fn describe(&self, outgoing: &mut [OutgoingMessageMetadata]) {
                $({
                    let (policy, _, _) = &self.$f;
                    outgoing.iter_mut().filter(|entry| entry.leaves_through($f)).for_each(|entry| {
                        entry.encoded_as::<$e>();
                        entry.published_by::<Conn, $p>(policy);
                    });
                })+
            }
        }
    )+};
}

pair_outs! {
    (M0 P0 E0 L0 B0 0)
    (M0 P0 E0 L0 B0 0, M1 P1 E1 L1 B1 1)
    (M0 P0 E0 L0 B0 0, M1 P1 E1 L1 B1 1, M2 P2 E2 L2 B2 2)
}

/// RUN-054.
#[derive(Debug, thiserror::Error)]
#[error("pairing the publisher for the `{slot}` slot failed: {source}")]
struct SlotPairError {
    slot: &'static str,
    source: PairError,
}
