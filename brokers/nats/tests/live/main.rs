//! The crate against private servers; `scripts/nats-servers` finds them.

mod authentication;
mod batches;
#[cfg(feature = "testing")]
mod conformance;
mod consumers;
mod core;
mod edges;
mod faults;
mod frames;
mod headers;
#[cfg(feature = "testing")]
mod health;
mod lifecycle;
#[cfg(feature = "testing")]
mod limits;
mod options;
mod order;
#[cfg(feature = "testing")]
mod outages;
mod publishing;
mod requests;
mod restarts;
#[cfg(feature = "testing")]
mod service;
mod settlement;
mod startup;
mod support;
mod tls;
mod warnings;
