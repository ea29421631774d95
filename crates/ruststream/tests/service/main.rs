//! The runtime as a service meets it: whole services, from the builder to the exit.
//!
//! One file for each concept. Services run on the in-process broker, and where that one cannot show
//! a habit of a transport, on a toy broker whose habits a test chooses.
#![cfg(all(feature = "macros", feature = "json", feature = "memory"))]

mod attempts;
mod batches;
mod brokers;
mod carried;
mod contexts;
mod copies;
mod deaths;
mod extractors;
mod health;
mod hooks;
mod layers;
mod limits;
mod losses;
mod names;
mod order;
mod panics;
mod policies;
#[cfg(feature = "poll-diagnostics")]
mod poll_diagnostics;
mod positions;
mod pressure;
mod replies;
mod requests;
mod retries;
mod routers;
mod secrets;
mod sets;
mod settings;
mod shutdown;
mod slots;
mod startup;
mod streams;
mod support;
