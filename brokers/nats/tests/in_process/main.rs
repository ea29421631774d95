//! The crate on its in-process transport.

mod conformance;
#[cfg(feature = "asyncapi")]
mod documents;
mod gaps;
mod handles;
mod prelude;
mod promises;
mod routing;
mod service;
mod support;
