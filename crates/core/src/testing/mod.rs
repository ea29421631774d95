//! What a broker crate offers to tests, and what tests of every broker share.
//!
//! A service's test runs the production application on the in-process transport of each of its
//! brokers. A broker crate ships that transport behind a feature of its own that turns on
//! `testing` here:
//!
//! 1. [`InProcess`] takes the configured broker to its production connected form without a server.
//! 2. [`TestableBroker`], on the connected form, is how a test drives and reads it.
//! 3. [`register_testable_broker!`](crate::register_testable_broker) makes the harness find it.
//! 4. The [`Coordinator`] that the harness installs learns of every message put into a
//!    subscription's queue and of every one that left, so that a test can wait for a reaction to
//!    come to rest instead of sleeping.

mod coordinator;
mod error;
mod published;
mod registration;
mod timers;
mod transport;

pub use coordinator::Coordinator;
#[doc(hidden)]
pub use coordinator::Hold;
pub use error::TestError;
pub use published::expect_published;
pub use registration::TestableRegistration;
#[doc(hidden)]
pub use registration::{
    AnyForm, BrokerForm, ConnectedForm, InProcessConnect, LivePublish, Registered, publish_live,
};
pub use transport::{Backlog, InProcess, TestableBroker};
