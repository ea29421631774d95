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
//! No suite asks for more from one release to the next. What those above let pass is held by suites
//! that came later, and that a crate runs as well:
//!
//! | A broker crate runs | When |
//! |---|---|
//! | [`message_shape::payloads`], [`message_shape::concurrent_publishes`], [`settlement::requeue_is_whole`] | for each kind of descriptor |
//! | [`settlement::delay_is_whole`] | where deliveries offer a delay |
//! | [`retry::move_is_whole`] | for each descriptor of `BrokerMoves` |
//! | [`lifecycle::stream_reopens`], [`lifecycle::others_stay_open`], [`lifecycle::late_settlements`], [`lifecycle::dropped_subscription`] | for each kind of descriptor |
//! | [`lifecycle::unsettled_returns`] | where subscriptions outlive their connection |
//! | [`message_shape::shows_without_credentials`] | where there is a credential |
//! | [`in_process::registered`], [`in_process::publish_log`], [`in_process::one_coordinator`], [`in_process::routes`], [`in_process::dropped_subscription`] | always |
//! | [`capabilities::batches_are_whole`], [`capabilities::seeks_are_whole`], [`capabilities::transactions_are_whole`], [`capabilities::owned_transactions_are_whole`], [`capabilities::replies_are_whole`] | for each of these capabilities |
//!
//! All but `shutdown_flushes`, `unsettled_returns` and the two comparisons with a server also run in process, through
//! [`harness::InProcessBroker`].

pub use ruststream_conformance::{
    capabilities, harness, helpers, in_process, lifecycle, message_shape, retry, settlement,
};
