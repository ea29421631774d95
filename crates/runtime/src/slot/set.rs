//! Message sets: what one `Out` parameter may publish of what its slot lists.

use ruststream_core::ConnectedBroker;

use super::marker::OutSlot;
use crate::docs::OutgoingMessageMetadata;

/// A set that holds the message `T`; `Index` is where.
///
/// `()` holds everything, a type that derives `Outgoing` holds itself, a tuple of up to four types
/// and an enum that derives `OutMessages` hold each of theirs.
#[diagnostic::on_unimplemented(
    message = "`{T}` is not in the message set `{Self}` of this slot parameter: add it there, or leave the set out",
    label = "`{Self}` does not hold `{T}`",
    note = "add the type to the set written as the third argument of `Out<..>`, or leave the set \
            out to publish anything the slot lists"
)]
pub trait ContainsMessage<T, Index> {}

impl<T> ContainsMessage<T, Unrestricted> for () {}

/// The index of a set that holds everything.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct Unrestricted;

/// A position counted from the left: of a message in its set, of a slot in its signature.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct SlotPos<const N: usize>;

/// `T` at `$pos` of each tuple, the other places being any type.
macro_rules! members {
    ($($pos:literal of <$($other:ident),*> $set:ty;)+) => {$(
        impl<T, $($other),*> ContainsMessage<T, SlotPos<$pos>> for $set {}
    )+};
}

members! {
    0 of <> (T,);
    0 of <A1> (T, A1);
    1 of <A0> (A0, T);
    0 of <A1, A2> (T, A1, A2);
    1 of <A0, A2> (A0, T, A2);
    2 of <A0, A1> (A0, A1, T);
    0 of <A1, A2, A3> (T, A1, A2, A3);
    1 of <A0, A2, A3> (A0, T, A2, A3);
    2 of <A0, A1, A3> (A0, A1, T, A3);
    3 of <A0, A1, A2> (A0, A1, A2, T);
}

/// What a set publishes through the slot `M`, for the generated document.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be published through the slot `{M}`: derive `Outgoing` on a message, `OutMessages` on a set",
    label = "not a message, nor a set of messages",
    note = "a message derives `Outgoing`, a set is an enum that derives `OutMessages`"
)]
pub trait OutMessages<M: OutSlot> {
    /// One entry per message that declares its destination.
    #[must_use]
    fn outgoing() -> Vec<OutgoingMessageMetadata>;
}

impl<M: OutSlot> OutMessages<M> for () {
    fn outgoing() -> Vec<OutgoingMessageMetadata> {
        M::outgoing()
    }
}

/// A definition with slots; the mount binds each of them.
pub trait HasSlots {
    /// The slots' markers in signature order, a tuple of one to three.
    type Markers;
}

/// A definition that becomes a handler once its slots are bound.
///
/// `Sources` holds, per slot in signature order, what the mount bound: policy, codec, pipeline.
pub trait BindSlots<C: ConnectedBroker, Sources>: Sized {
    /// The definition over its arena of slots.
    type Bound;
    /// What startup pairs into that arena.
    type Extra;

    /// Splits the definition from the sources that pair at startup.
    fn bind(self, sources: Sources) -> (Self::Bound, Self::Extra);
}

#[cfg(test)]
mod tests {
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

    // PUB-502, RUN-213
    #[test]
    fn a_tuple_holds_each_of_its_types_and_the_empty_set_everything() {
        fn holds<Set: ContainsMessage<T, Index>, T, Index>() {}
        holds::<(), u8, _>();
        holds::<(u8,), u8, _>();
        holds::<(u8, u16), u16, _>();
        holds::<(u8, u16, u32), u16, _>();
        holds::<(u8, u16, u32, u64), u8, _>();
        holds::<(u8, u16, u32, u64), u64, _>();
    }

    // PUB-502
    #[test]
    fn an_unrestricted_set_reports_the_whole_dictionary() {
        let reported = <() as OutMessages<Receipts>>::outgoing();
        assert_eq!(reported.len(), 1);
        assert_eq!(reported[0].channel, "receipts");
    }
}
