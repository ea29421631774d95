//! One suite for each capability. A broker runs those of the capabilities it implements.
//!
//! | Suite | Capability |
//! |---|---|
//! | [`batches`], [`batches_are_whole`] | `BatchSubscriber` |
//! | [`seeking`], [`seeking_unknown_position`], [`batch_seeking`], [`seeks_are_whole`] | `Seekable`, `Positioned` |
//! | [`request_reply`], [`replies_are_whole`] | `RequestReply` |
//! | [`transactions`], [`transactions_are_whole`] | `TransactionalPublisher` |
//! | [`owned_transactions`], [`owned_transactions_are_whole`] | `OwnedTransactions` |
//! | [`carries`], [`carries_batch`] | `Carries`, `CarriesBatch` |
//!
//! The subjects of a suite begin with `conformance.` and its name; those of a suite whose name ends with
//! `are_whole` begin as those of the suite beside it.

mod batch_seeking;
mod batches;
mod carries;
mod carries_batch;
mod copy_path;
mod owned_transactions;
mod request_reply;
mod seeking;
mod transactions;
mod unknown_position;
mod whole_batches;
mod whole_replies;
mod whole_seeks;
mod whole_transactions;

use std::time::Duration;

pub use batch_seeking::batch_seeking;
pub use batches::batches;
pub use carries::carries;
pub use carries_batch::carries_batch;
#[doc(hidden)]
pub use copy_path::CopyPathCheck;
pub use owned_transactions::owned_transactions;
pub use request_reply::request_reply;
pub use seeking::seeking;
pub use transactions::transactions;
pub use unknown_position::seeking_unknown_position;
pub use whole_batches::batches_are_whole;
pub use whole_replies::replies_are_whole;
pub use whole_seeks::seeks_are_whole;
pub use whole_transactions::{owned_transactions_are_whole, transactions_are_whole};

use crate::kit::{Check, Limits, Session, UnderTest};

/// Every call of a broker.
const CALL: Duration = Duration::from_secs(10);
const DELIVERY: Duration = Duration::from_secs(2);
const REDELIVERY: Duration = Duration::from_secs(10);
const QUIET: Duration = Duration::from_millis(100);
/// How long a call may take that must fail because its connection is gone.
const AFTER_SHUTDOWN: Duration = Duration::from_secs(5);
/// How often a pair of messages is published for a batch to hold both.
const ROUNDS: usize = 5;

async fn open<'c, U: UnderTest>(check: &'c Check, under_test: &U) -> Session<'c, U::Broker> {
    Session::open(check, Limits::of(CALL), under_test.broker()).await
}
