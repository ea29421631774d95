//! The suites that hold a broker crate to the contract.
//!
//! A broker crate calls each suite that applies to it from its own tests, with closures that make
//! its broker, a descriptor and a publisher. A suite panics at the first rule broken and says what
//! came and what was asked.
//!
//! ```
//! # #[cfg(feature = "memory")]
//! # tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap().block_on(async {
//! use ruststream::conformance::harness;
//! use ruststream::memory::{MemoryBroker, MemorySource};
//!
//! harness::redelivery_address(
//!     MemoryBroker::new,
//!     |name| MemorySource::new(name),
//!     |connected| connected.publisher(),
//! )
//! .await;
//! # });
//! ```
//!
//! | A broker crate runs | When |
//! |---|---|
//! | [`harness::run_suite`] | always |
//! | [`harness::lifecycle`] | for each kind of descriptor, and for `Name` where it subscribes by name |
//! | [`harness::redelivery_address`] | for each descriptor of `AddressedCopies`, and for such a `Name` |
//! | [`retry::broker_moves`] | for each descriptor of `BrokerMoves` |
//! | [`settlement::matches_in_process`], [`settlement::suite`] | against a server, and in process |
//! | [`lifecycle::shutdown_flushes`] | against a server, with the backlog the descriptor has |
//! | [`lifecycle::shared_handle_closes`] | where the connected form is `Clone` |
//! | [`in_process::backlog_matches_server`], [`in_process::refuses_like_the_server`] | against a server |
//! | [`message_shape`] | keys, per-message options, credentials: what the transport has |
//! | [`capabilities`] | one suite for each capability |
//!
//! All but `shutdown_flushes` and the two comparisons with a server also run in process, through
//! [`harness::InProcessBroker`].

pub use ruststream_conformance::{
    capabilities, harness, helpers, in_process, lifecycle, message_shape, retry, settlement,
};
