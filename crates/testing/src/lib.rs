//! Tests of a service: the production application, driven and watched inside the test process.
//!
//! [`TestApp`] takes the application that `main` runs and starts it on the in-process transport of
//! each of its brokers, or against the real servers. A test sends messages, each send returns once
//! everything it caused has come to rest, and then the test asks what happened.
//!
//! Services and broker crates reach every item through the facade crate `ruststream`.
//!
//! | You want to | Read |
//! |---|---|
//! | start, drive, stop | [`TestApp`] |
//! | send and look at one broker | [`BrokerHandle`] |
//! | ask what a subscription was handed | [`SubscriberAssertions`], [`Outcome`] |
//! | ask what was published | [`PublishedAssertions`] |
//! | make a broker testable | [`InProcess`], [`TestableBroker`], [`Coordinator`] |

#![forbid(unsafe_code)]

mod alarm;
mod app;
mod assertions;
mod brokers;
mod clock;
mod harness;
mod hooks;
mod input;
mod rig;

pub use app::TestApp;
pub use assertions::{Outcome, PublishedAssertions, SubscriberAssertions};
pub use brokers::{BrokerHandle, TestBrokers};
pub use input::InjectSink;
pub use ruststream_core::testing::{
    Backlog, Coordinator, InProcess, TestError, TestableBroker, TestableRegistration,
    expect_published,
};
