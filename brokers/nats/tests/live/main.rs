//! The crate against private servers; `scripts/nats-servers` finds them.

#[cfg(feature = "testing")]
mod conformance;
mod faults;
mod frames;
mod restarts;
#[cfg(feature = "testing")]
mod service;
mod settlement;
mod support;
