//! What a shutdown does to everything else of its connection.
//!
//! | Check | Holds |
//! |---|---|
//! | [`shutdown_flushes`] | what succeeded right before a shutdown holds after it |
//! | [`shared_handle_closes`] | a clone of the connected form is closed with it |
//! | [`others_stay_open`] | another connection is not |
//! | [`unsettled_returns`] | what was not settled reaches a new connection |
//! | [`late_settlements`] | a settlement after it takes effect or fails |
//! | [`stream_reopens`] | a stream that is dropped and taken again loses nothing |
//! | [`dropped_subscription`] | a subscription that ends before it takes nothing more |
//!
//! The ladder from construction to shutdown is [`harness::lifecycle`](crate::harness::lifecycle).

mod dropped_subscription;
mod due;
mod late_settlements;
mod others_stay_open;
mod shared_handle_closes;
mod shutdown_flushes;
mod stream_reopens;
mod unsettled_returns;

use std::time::Duration;

pub use dropped_subscription::dropped_subscription;
pub use late_settlements::late_settlements;
pub use others_stay_open::others_stay_open;
pub use shared_handle_closes::shared_handle_closes;
pub use shutdown_flushes::shutdown_flushes;
pub use stream_reopens::stream_reopens;
pub use unsettled_returns::unsettled_returns;

use crate::kit::Limits;

/// One publish, one settlement, one subscribe.
const CALL: Duration = Duration::from_secs(2);
const DELIVERY: Duration = Duration::from_secs(2);
/// A redelivery, beyond the time after which the broker makes it.
const RETURN: Duration = Duration::from_secs(10);
/// How long silence is watched, beyond that time.
const MARGIN: Duration = Duration::from_secs(1);
const LIMITS: Limits = Limits {
    connect: Duration::from_secs(10),
    subscribe: CALL,
    publish: CALL,
    shutdown: Duration::from_secs(10),
};
