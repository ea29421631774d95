//! The slots of one handler, side by side.

use std::fmt;
use std::marker::PhantomData;

use super::entry::{OutEntry, Slot};
use super::marker::{DefaultSlot, OutSlot};
use crate::docs::OutgoingMessageMetadata;

/// The slots of a handler, one to three [`Slot`]s picked by marker.
///
/// Startup pairs each of them once; every worker shares them by reference.
pub struct Outs<E> {
    entries: E,
}

impl<E> Outs<E> {
    /// The entries in signature order.
    pub(crate) const fn new(entries: E) -> Self {
        Self { entries }
    }

    /// The slot of `marker`, wherever it sits.
    #[inline]
    pub fn get<M, I>(&self, marker: M) -> &<E as SelectSlot<M, I>>::Picked
    where
        E: SelectSlot<M, I>,
    {
        drop(marker);
        self.entries.pick()
    }
}

impl<E> fmt::Debug for Outs<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outs").finish_non_exhaustive()
    }
}

/// The parameter type of a slot in the signature of a `#[subscriber]` function.
///
/// Only the attribute reads it; no value of it exists. `P` is written `impl Capability`, `M` is the
/// marker and `Body` the set of messages the function publishes.
#[derive(Debug)]
pub struct Out<P, M = DefaultSlot, Body = ()>(PhantomData<(P, M, Body)>);

/// The place of an entry among the slots of a handler.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct OutPos<const N: usize>;

/// Picks the entry marked `M`.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "this handler has no slot marked `{M}`: add an `Out` parameter with this marker",
    label = "no entry of `{Self}` is marked `{M}`",
    note = "declare the slot: an `Out` parameter with this marker, or an \
            `OutEntry<{M}>` among the entries of `Outs<..>`"
)]
pub trait SelectSlot<M, I> {
    /// The slot.
    type Picked;

    /// The slot among the entries.
    fn pick(&self) -> &Self::Picked;
}

/// The markers of a handler's entries and the messages their slots list.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a handler has one to three slots, and `{Self}` are not such: write `Outs<(A,)>` up to `Outs<(A, B, C)>`",
    label = "these are not the slots of a handler",
    note = "take `Outs<(A,)>`, `Outs<(A, B)>` or `Outs<(A, B, C)>`, each entry an `OutEntry<Marker>`; \
            publish more types through one of them"
)]
pub trait EntryMarkers {
    /// The markers in signature order.
    type Markers;

    /// What the slots list, in signature order.
    fn outgoing() -> Vec<OutgoingMessageMetadata>;
}

/// `Entry` at `$pos` of each tuple, the other places being any type.
macro_rules! select {
    ($($pos:tt of <$($other:ident),*> $entries:ty;)+) => {$(
        impl<M, Body, Entry, $($other),*> SelectSlot<M, (OutPos<$pos>, Body)> for $entries
        where
            Entry: OutEntry<M, Body>,
        {
            type Picked = Slot<M, Entry::Wire, Entry::Enc, Entry::Pipe, Body>;

            #[inline]
            fn pick(&self) -> &Self::Picked {
                self.$pos.entry()
            }
        }
    )+};
}

select! {
    0 of <> (Entry,);
    0 of <A1> (Entry, A1);
    1 of <A0> (A0, Entry);
    0 of <A1, A2> (Entry, A1, A2);
    1 of <A0, A2> (A0, Entry, A2);
    2 of <A0, A1> (A0, A1, Entry);
}

/// One marker, live value, codec, pipeline and set per slot.
macro_rules! markers {
    ($($($marker:ident $wire:ident $codec:ident $pipe:ident $body:ident),+;)+) => {$(
        impl<$($marker: OutSlot, $wire, $codec, $pipe, $body),+> EntryMarkers
            for ($(Slot<$marker, $wire, $codec, $pipe, $body>,)+)
        {
            type Markers = ($($marker,)+);

            fn outgoing() -> Vec<OutgoingMessageMetadata> {
                let lists = [$($marker::outgoing()),+];
                let numbered = lists.into_iter().enumerate();
                numbered
                    .flat_map(|(slot, list)| list.into_iter().map(move |entry| entry.in_slot(slot)))
                    .collect()
            }
        }
    )+};
}

markers! {
    M0 W0 E0 P0 B0;
    M0 W0 E0 P0 B0, M1 W1 E1 P1 B1;
    M0 W0 E0 P0 B0, M1 W1 E1 P1 B1, M2 W2 E2 P2 B2;
}

#[cfg(test)]
mod tests {
    use ruststream_core::Publisher;

    use super::*;
    use crate::publish::Reads;

    struct Receipts;

    impl OutSlot for Receipts {
        const NAME: &'static str = "Receipts";
        type Destination = Reads;

        fn outgoing() -> Vec<OutgoingMessageMetadata> {
            vec![OutgoingMessageMetadata::new("receipts", "Receipt")]
        }
    }

    type Entry<M, W> = Slot<M, W, ()>;

    fn entry<M, W>(wired: W) -> Entry<M, W> {
        Slot::new(wired, (), crate::publish::PublishIdentity)
    }

    // RUN-211, MAC-37
    #[test]
    fn the_entries_report_their_markers_lists_in_order() {
        type Two = (Entry<DefaultSlot, u8>, Entry<Receipts, u8>);
        fn markers<E: EntryMarkers<Markers = (DefaultSlot, Receipts)>>() -> usize {
            E::outgoing().len()
        }
        assert_eq!(markers::<Two>(), 1);
    }

    // PUB-205, PUB-511
    #[test]
    fn debug_shows_neither_slots_nor_their_innards() {
        assert_eq!(format!("{:?}", Outs::new(())), "Outs { .. }");
        assert_eq!(
            format!("{:?}", entry::<DefaultSlot, _>("secret")),
            "Slot { .. }"
        );
    }

    // PUB-513
    #[test]
    fn slots_are_shared_between_workers() {
        fn shared<T: Send + Sync>() {}
        fn slots<P: Publisher>() {
            shared::<Outs<(Entry<Receipts, P>, Entry<DefaultSlot, P>)>>();
        }
        slots::<crate::publish::testkit::Recorder<ruststream_core::Take>>();
    }

    #[cfg(any(feature = "json", feature = "cbor", feature = "msgpack"))]
    mod picked {
        use ruststream_core::codec::DefaultCodec;

        use super::*;
        use crate::publish::PublishIdentity;

        struct Third;

        impl OutSlot for Third {
            const NAME: &'static str = "Third";
            type Destination = Reads;
        }

        fn entry<M>(wired: u8) -> Slot<M, u8, DefaultCodec> {
            Slot::new(wired, DefaultCodec::default(), PublishIdentity)
        }

        // PUB-501, RUN-211
        #[test]
        fn a_slot_is_picked_by_its_marker_wherever_it_sits() {
            let outs = Outs::new((entry::<DefaultSlot>(1), entry::<Receipts>(2)));
            assert_eq!((**outs.get(DefaultSlot), **outs.get(Receipts)), (1, 2));

            let outs = Outs::new((
                entry::<Receipts>(2),
                entry::<Third>(3),
                entry::<DefaultSlot>(1),
            ));
            assert_eq!((**outs.get(DefaultSlot), **outs.get(Receipts)), (1, 2));
        }

        // PUB-501: a hand-written body names its slots by marker and bounds the live value alone.
        #[test]
        fn a_body_generic_over_its_entries_picks_the_live_values() {
            fn body<A, B>(outs: &Outs<(A, B)>) -> (u8, u8)
            where
                A: OutEntry<Receipts, Wire: Into<u8> + Copy>,
                B: OutEntry<DefaultSlot, Wire: Into<u8> + Copy>,
            {
                (
                    (**outs.get(Receipts)).into(),
                    (**outs.get(DefaultSlot)).into(),
                )
            }
            assert_eq!(body(&Outs::new((entry(2), entry(1)))), (2, 1));
        }
    }
}
