//! The crate against private servers; `scripts/nats-servers` finds them.

mod faults;
mod frames;
mod restarts;
mod settlement;
mod support;
