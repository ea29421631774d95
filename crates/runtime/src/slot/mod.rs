//! `Out` slots: the marked positions a body publishes through, and what may leave there.

mod capabilities;
mod entry;
mod marker;
mod outs;
mod publisher;
mod set;
#[cfg(test)]
pub(crate) mod testkit;

pub use entry::{OutEntry, Slot};
pub use marker::{DefaultSlot, DestinationOffer, ListOffer, OutSlot, PublishedThrough};
pub use outs::{EntryMarkers, Out, OutPos, Outs, SelectSlot};
pub use publisher::SlotPublisher;
pub use set::{BindSlots, ContainsMessage, HasSlots, OutMessages, SlotPos, Unrestricted};
