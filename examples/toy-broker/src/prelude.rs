//! What a routes file imports; another broker's prelude in its place changes brokers.

pub use ruststream::prelude::*;

pub use crate::ToyPublish as Publish;
pub use crate::{ToyBroker, ToyError};
