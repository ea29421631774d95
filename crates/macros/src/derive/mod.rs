//! The derives, one module each.

pub(crate) mod deserialized;
pub(crate) mod from_ref;
pub(crate) mod in_messages;
pub(crate) mod message_info;
pub(crate) mod out_messages;
pub(crate) mod out_slot;
pub(crate) mod outgoing;
pub(crate) mod serialized;

mod members;
mod options;
mod template;
mod wire;

#[cfg(test)]
mod tests;
