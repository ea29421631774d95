//! What a shutdown does to everything else of its connection.
//!
//! | Check | Holds |
//! |---|---|
//! | [`shutdown_flushes`] | what succeeded right before a shutdown holds after it |
//! | [`shared_handle_closes`] | a clone of the connected form is closed with it |
//!
//! The ladder from construction to shutdown is [`harness::lifecycle`](crate::harness::lifecycle).

mod shared_handle_closes;
mod shutdown_flushes;

use std::time::Duration;

pub use shared_handle_closes::shared_handle_closes;
pub use shutdown_flushes::shutdown_flushes;

use crate::kit::Limits;

/// One publish, one settlement, one subscribe.
const CALL: Duration = Duration::from_secs(2);
const DELIVERY: Duration = Duration::from_secs(2);
const LIMITS: Limits = Limits {
    connect: Duration::from_secs(10),
    subscribe: CALL,
    publish: CALL,
    shutdown: Duration::from_secs(10),
};
