//! The suites every broker runs first.
//!
//! | Check | Holds |
//! |---|---|
//! | [`run_suite`] | the in-process transport: order, settlement, headers, log, routing, counting |
//! | [`lifecycle`] | construction to shutdown, from runtimes that end, with every shape of message |
//! | [`redelivery_address`] | where copies of a delivery are published |
//! | `describes_without_credentials` (feature `asyncapi`) | what the document tells |

mod connects_in_process;
#[cfg(feature = "asyncapi")]
mod credentials;
mod in_process_broker;
mod lifecycle;
mod run_suite;

pub use connects_in_process::ConnectsInProcess;
#[cfg(feature = "asyncapi")]
pub use credentials::describes_without_credentials;
pub use in_process_broker::InProcessBroker;
pub use lifecycle::lifecycle;
pub use run_suite::run_suite;

pub use crate::retry::redelivery_address;
