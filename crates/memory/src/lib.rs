//! The in-process broker of `RustStream`.
//!
//! A complete broker without a server: fan-out by name and by pattern, redelivery with a delay,
//! transactions, requests, and a log that subscriptions can replay. It is for messaging inside one
//! process and for tests, and it is the reference of what a broker owes its users.
//!
//! | You want to | Read |
//! |---|---|
//! | build a broker, with or without a log | [`MemoryBroker`], [`Retention`] |
//! | read a name, or many | [`MemorySource`], [`MemoryPattern`], [`Routing`] |
//! | settle a delivery | [`MemoryMessage`] |
//! | publish, with or without a transaction | [`MemoryPublisher`], [`MemoryTransaction`] |
//! | ask and wait for the answer | [`MemoryRequester`] |
//! | replay | [`MemorySeeker`], [`MemoryPosition`], [`SeekHandle`] |
//!
//! # What to expect
//!
//! - All publishes of a bus form one order, and every subscription sees its copies in it. Only a
//!   delivery that is put back changes places: it goes to the end of its queue.
//! - Queues have no bound. A publish never waits; a producer that outruns its consumers grows the
//!   process.
//! - Settlements, publishes and seeks are complete when their future is first polled. None of them
//!   can be interrupted half-way.
//! - Payloads and headers are never copied per subscription.

#![forbid(unsafe_code)]

mod aftermath;
mod block;
mod broker;
mod bus;
mod connected;
mod context;
mod draft;
mod entry;
mod error;
mod few;
mod inbox;
mod log;
mod log_mode;
mod message;
mod name;
mod observe;
mod pattern;
mod policy;
mod position;
pub mod prelude;
mod publisher;
mod queue;
mod reader;
mod redelivery;
mod registration;
mod registry;
mod requester;
mod retention;
mod routing;
mod seek;
mod sender;
mod source;
mod subscriber;
mod sync;
#[cfg(feature = "testing")]
mod testing;
mod topic;
mod transaction;

pub use broker::MemoryBroker;
pub use connected::{ClosedMemoryBroker, ConnectedMemoryBroker};
pub use context::{MemoryBatchContext, MemoryContext, Position, SeekHandle};
pub use error::{MemoryError, RequestError};
pub use log_mode::{Discarding, LogMode, Retaining};
pub use message::{MemoryMessage, PARTITION_KEY_HEADER};
pub use pattern::{MemoryPattern, PatternError};
pub use policy::{MemoryPublish, MemoryRequest};
pub use position::MemoryPosition;
pub use publisher::MemoryPublisher;
pub use requester::MemoryRequester;
pub use retention::Retention;
pub use routing::Routing;
pub use seek::MemorySeeker;
pub use source::MemorySource;
pub use subscriber::MemorySubscriber;
pub use transaction::MemoryTransaction;
