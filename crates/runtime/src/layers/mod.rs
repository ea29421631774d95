//! Layers around the handlers of a service, and those that come with the runtime.

pub(crate) mod dynamic;
pub(crate) mod ext;
pub(crate) mod identity;
pub(crate) mod layer;
#[cfg(test)]
pub(crate) mod log_capture;
pub(crate) mod stack;
mod tracing;

pub use self::tracing::{TracingHandler, TracingLayer};

pub(crate) use self::identity::Identity;
pub(crate) use self::layer::{BlanketLayer, Layer};
pub(crate) use self::stack::Stack;
