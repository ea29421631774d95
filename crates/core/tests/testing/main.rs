//! What broker crates and harnesses rely on in `ruststream_core::testing`.

#![cfg(feature = "testing")]

mod coordinator;
mod diagnostics;
mod published;
mod redelivery;
mod registration;
mod routes;
mod support;
