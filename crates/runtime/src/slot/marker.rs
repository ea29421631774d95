//! Slot markers: what a slot is called, what it lists and whether it lets a transform name
//! destinations.

use ruststream_core::{CallerName, FixedName, NameTemplate, OutgoingDestination};

use crate::docs::OutgoingMessageMetadata;
use crate::publish::{Both, DestinationUse, Names, Reads};

/// The marker of an `Out` slot.
///
/// The derive of the same name writes it, with `#[publishes(A, B)]` for the messages the slot
/// lists. By hand, each listed type also implements [`PublishedThrough`] of the marker.
///
/// ```
/// use ruststream_runtime::{OutSlot, PublishedThrough, Reads};
///
/// struct Receipt;
///
/// struct Receipts;
///
/// impl OutSlot for Receipts {
///     const NAME: &'static str = "Receipts";
///     type Destination = Reads;
/// }
///
/// impl PublishedThrough<Receipts> for Receipt {}
/// ```
pub trait OutSlot: 'static {
    /// What the slot is called in errors, to transforms and in tests.
    const NAME: &'static str;
    /// [`Names`] where a transform may name the destination of every listed message, else
    /// [`Reads`].
    type Destination: DestinationUse;

    /// The messages the slot lists, for the generated document.
    #[must_use]
    fn outgoing() -> Vec<OutgoingMessageMetadata> {
        Vec::new()
    }
}

/// A message that the slot `Slot` lists.
#[diagnostic::on_unimplemented(
    message = "the `{Slot}` slot does not publish `{Self}`: add it to the slot's `#[publishes(..)]`",
    label = "`{Self}` is not among the messages of `{Slot}`",
    note = "list it on the marker: `#[publishes(..)]`, or write `impl PublishedThrough<{Slot}> for \
            {Self} {{}}` by hand"
)]
pub trait PublishedThrough<Slot> {}

impl<T> PublishedThrough<DefaultSlot> for T {}

/// The slot of an `Out` parameter that names no marker; it takes every message.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct DefaultSlot;

impl OutSlot for DefaultSlot {
    const NAME: &'static str = "default";
    type Destination = Reads;
}

/// What a message's destination form offers a transform.
#[doc(hidden)]
pub trait DestinationOffer {
    /// [`Names`] where the type leaves its destination open.
    type Offer: DestinationUse;
}

impl DestinationOffer for FixedName {
    type Offer = Reads;
}

impl DestinationOffer for NameTemplate {
    type Offer = Reads;
}

impl DestinationOffer for CallerName {
    type Offer = Names;
}

/// What a list of messages, written `(A, (B, ()))`, offers a transform: the right to name
/// destinations only where every one of them leaves its own open.
pub trait ListOffer {
    /// [`Names`] or [`Reads`].
    type Offer: DestinationUse;
}

impl ListOffer for () {
    type Offer = Names;
}

impl<Head, Tail> ListOffer for (Head, Tail)
where
    Head: OutgoingDestination<Form: DestinationOffer>,
    Tail: ListOffer,
    <Head::Form as DestinationOffer>::Offer: Both<Tail::Offer, Out: DestinationUse>,
{
    type Offer = <<Head::Form as DestinationOffer>::Offer as Both<Tail::Offer>>::Out;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::publish::NamesDestination;

    struct Open;

    impl OutgoingDestination for Open {
        type Form = CallerName;
    }

    struct Fixed;

    impl OutgoingDestination for Fixed {
        type Form = FixedName;
    }

    struct Templated;

    impl OutgoingDestination for Templated {
        type Form = NameTemplate;
    }

    fn offered<List: ListOffer>() -> bool {
        List::Offer::NAMES
    }

    // PUB-504
    #[test]
    fn a_list_offers_names_only_if_every_message_leaves_its_destination_open() {
        assert!(offered::<()>());
        assert!(offered::<(Open, (Open, ()))>());
        assert!(!offered::<(Open, (Fixed, ()))>());
        assert!(!offered::<(Templated, (Open, ()))>());
    }

    // RUN-210, PUB-504
    #[test]
    fn the_default_slot_takes_any_message_and_offers_no_names() {
        fn published<T: PublishedThrough<DefaultSlot>>() {}
        published::<u32>();
        assert_eq!(DefaultSlot::NAME, "default");
        const { assert!(!<DefaultSlot as OutSlot>::Destination::NAMES) };
        assert!(DefaultSlot::outgoing().is_empty());
    }
}
