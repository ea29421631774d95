//! Where the copies of a delivery go, and who moves a spent one.
//!
//! | Check | For a source that declares |
//! |---|---|
//! | [`redelivery_address`] | `AddressedCopies` |
//! | [`broker_moves`], [`move_is_whole`] | `BrokerMoves` |
//!
//! A source that declares `NamedCopies` has nothing to run here: the mount site names the
//! destination.

mod broker_moves;
mod declared;
mod move_is_whole;
mod redelivery_address;

use std::time::Duration;

pub use broker_moves::broker_moves;
pub use move_is_whole::move_is_whole;
pub use redelivery_address::redelivery_address;

/// Every call of a broker.
const CALL: Duration = Duration::from_secs(10);
const ARRIVAL: Duration = Duration::from_secs(10);
/// How long the broker may take to move a spent message.
const MOVE: Duration = Duration::from_secs(30);
const QUIET: Duration = Duration::from_millis(500);
