#![doc = include_str!("overview.md")]

mod broker;
mod link;
pub mod prelude;
mod publisher;
pub mod server;
mod subscription;
#[cfg(feature = "testing")]
mod testing;
mod wire;

pub use broker::{ConnectedToy, ToyBroker, ToyError};
pub use publisher::{ToyPublish, ToyPublisher};
pub use subscription::{ToyMessage, ToySubscriber};
