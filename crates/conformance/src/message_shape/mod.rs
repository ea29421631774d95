//! What a message carries beyond its payload, and what a policy tells of itself.
//!
//! | Check | Holds |
//! |---|---|
//! | [`keyed_order`] | the partition key arrives, and messages of one key in order |
//! | [`concurrent_publishes`] | publishes under way at once are independent |
//! | [`payloads`] | the bytes of a payload arrive as they are |
//! | [`publish_options`] | a per-message option wins for that message, or fails the publish |
//! | [`shows_without_credentials`] | nothing that can be printed tells a credential |
//! | `publishes_without_credentials` (feature `asyncapi`) | a publish policy tells no credential |
//! | `describes_addresses_without_credentials` (feature `asyncapi`) | nor do several addresses |
//!
//! Headers and bursts are part of [`harness::lifecycle`](crate::harness::lifecycle).

#[cfg(feature = "asyncapi")]
mod addresses;
mod concurrent;
#[cfg(feature = "asyncapi")]
mod credentials;
mod keyed_order;
mod option_cases;
mod payloads;
mod publish_options;
mod shown;

use std::time::Duration;

#[cfg(feature = "asyncapi")]
pub use addresses::describes_addresses_without_credentials;
pub use concurrent::concurrent_publishes;
#[cfg(feature = "asyncapi")]
pub use credentials::publishes_without_credentials;
pub use keyed_order::keyed_order;
pub use option_cases::OptionCases;
pub use payloads::payloads;
pub use publish_options::publish_options;
pub use shown::shows_without_credentials;

/// Every call of a broker.
const CALL: Duration = Duration::from_secs(10);
const DELIVERY: Duration = Duration::from_secs(10);
const QUIET: Duration = Duration::from_millis(500);
