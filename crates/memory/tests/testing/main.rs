//! What the in-memory broker owes a test harness.

#![cfg(feature = "testing")]

mod counting;
mod in_process;
mod log;
mod routes;
mod support;
