//! The suites that hold a broker crate to the contract.
//!
//! A broker author hands a suite three closures: one that makes the broker, one that makes the
//! descriptor of a subscription from its name, one that makes a publisher of a connection. The suite
//! plays the rules through and panics at the first one broken, with the label of the check, the
//! step, what came and what the contract asks. A suite that returns has found nothing.
//!
//! | Module | Holds a broker to |
//! |---|---|
//! | [`harness`] | the in-process transport, and the ladder from construction to shutdown |
//! | [`lifecycle`] | what a shutdown flushes, and that it closes every handle |
//! | [`settlement`] | what `ack`, `nack` and an unsettled drop mean, on a server and in process |
//! | [`retry`] | where copies of a delivery go, and who moves a spent one |
//! | [`in_process`] | in-process answers that are the server's |
//! | [`message_shape`] | keys, per-message options, and what a policy describes |
//! | [`capabilities`] | each capability a broker has beyond the required ones |
//! | [`helpers`] | what tests of a broker crate share |
//!
//! # Running them
//!
//! Every await is bounded, so a broker that hangs fails a step instead of the whole run. Each run
//! names subjects of its own, so it can be repeated against one server, and two runs can share it.
//! The `unique_subject` prefixes a suite documents are what a server has to provision for.
//!
//! Live runs pass the broker as production builds it; runs in process wrap it in
//! [`harness::InProcessBroker`]. By convention a broker crate's live tests read the server's address
//! from `<NAME>_TEST_URL`, skip without it, and fail instead of skipping when
//! `RUSTSTREAM_REQUIRE_LIVE` is set to anything.
//!
//! `AckError::Unsupported` is an honest answer to every settlement, and no suite fails a broker for
//! it. `Ok` is held to its meaning.

#![forbid(unsafe_code)]

pub mod capabilities;
pub mod harness;
pub mod helpers;
pub mod in_process;
mod kit;
pub mod lifecycle;
pub mod message_shape;
pub mod retry;
pub mod settlement;
