//! Messages, and handlers that do as their message says.

use std::future::pending;
use std::time::Duration;

use ruststream::prelude::*;
use ruststream::testing::TestApp;
use serde::{Deserialize, Serialize};

/// A scanned parcel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Outgoing)]
#[outgoing(name = "scans")]
pub struct Scan {
    /// The parcel.
    pub parcel: u64,
    /// What its handler does.
    pub say: Say,
}

/// What a handler does with its scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Say {
    /// It is done.
    Ack,
    /// It comes again.
    Retry,
    /// It comes again after a while.
    RetryAfter,
    /// It is given up.
    Drop,
    /// The handler panics.
    Panic,
    /// The handler never ends.
    Hang,
}

impl Say {
    /// Does it.
    ///
    /// # Panics
    ///
    /// As [`Say::Panic`].
    pub async fn done(self) -> HandlerOutcome {
        match self {
            Self::Ack => HandlerOutcome::ack(),
            Self::Retry => HandlerOutcome::retry(),
            Self::RetryAfter => HandlerOutcome::retry_after(Duration::from_secs(1)),
            Self::Drop => HandlerOutcome::drop(),
            Self::Panic => panic!("as the scan says"),
            Self::Hang => pending().await,
        }
    }
}

/// The answer to a scan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Outgoing)]
#[outgoing(name = "routes")]
pub struct Routed {
    /// The parcel.
    pub parcel: u64,
}

/// What else is told of a scan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Outgoing)]
#[outgoing(name = "audits")]
pub struct Audit {
    /// The parcel.
    pub parcel: u64,
}

/// Where audits go.
#[derive(Debug, OutSlot)]
#[publishes(Audit)]
pub struct Audits;

/// Sends a scan and waits until all it brought about is done.
///
/// # Panics
///
/// Where that fails.
pub async fn assert_sent<State: Send + Sync + 'static>(app: &TestApp<State>, say: Say) {
    let sent = app.publish("scans", &Scan { parcel: 41, say }).await;
    assert!(sent.is_ok(), "{sent:?}");
}
