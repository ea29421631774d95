//! The contract's traits, put on the toy; each asks the twist.

mod broker;
mod message;
mod publisher;
mod source;
mod subscriber;

pub(crate) use broker::{ConnectedToy, ToyBroker, toys};
pub(crate) use message::{Parcel, ToyBatch, ToyMessage};
pub(crate) use publisher::{ToyOptions, ToyPublish, ToyPublisher};
pub(crate) use source::Slot;
pub(crate) use subscriber::ToySubscriber;
