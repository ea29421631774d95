//! CONF-43: every suite rejects the brokers it is there to reject, at the step meant, and accepts
//! the honest ones.
//!
//! One file a check. In each: the honest toy passes; brokers broken in one thing are rejected, with
//! a message that says what came and what was asked; honest brokers that are unusual are accepted.
//!
//! Clocks are paused, so waits cost nothing; only what is called from a runtime of its own waits in
//! real time.

#![allow(
    clippy::redundant_closure,
    clippy::redundant_closure_for_method_calls,
    reason = "the factories are written as callers write them: as closures"
)]

mod after_shutdown;
mod batches;
mod broker_moves;
mod carries;
#[cfg(feature = "asyncapi")]
mod credentials;
mod dropped_subscription;
mod every_suite;
mod in_process;
mod lifecycle_ladder;
mod lifecycle_shape;
mod message_shape;
mod payloads;
mod redelivered;
mod redelivery_address;
mod request_reply;
mod run_suite;
mod seeking;
mod settlement;
mod shown;
mod shutdown;
mod streams;
#[path = "../support/mod.rs"]
mod support;
mod transactions;
mod transport;
mod unknown_position;
mod whole_capabilities;
