//! What can go wrong on the in-memory broker.

use std::time::Duration;

use thiserror::Error;

use crate::pattern::PatternError;

/// An operation on the in-memory broker that was refused.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum MemoryError {
    /// `begin_transaction` on a handle that has one open; the open one stays as it is.
    #[error("a transaction is already open on this publisher handle")]
    TransactionBusy,
    /// `commit` or `abort` on a handle with nothing open.
    #[error("no transaction is open on this publisher handle")]
    NoTransaction,
    /// The bus behind this handle was shut down and no sibling has connected again since.
    #[error("the memory broker is shut down")]
    ShutDown,
    /// A seek to a message that the retention bound has pushed out; the subscription did not move.
    #[error(
        "position {requested} is no longer retained, the oldest retained position is {oldest}: \
         seek to `MemoryPosition::start()` or retain more"
    )]
    PositionEvicted {
        /// The position asked for.
        requested: usize,
        /// The oldest position that can be asked for.
        oldest: usize,
    },
    /// A [`MemoryPattern`](crate::MemoryPattern) that does not parse.
    #[error("`{pattern}` is not a subscription pattern: {reason}")]
    InvalidPattern {
        /// The pattern as it was written.
        pattern: String,
        /// What is wrong with it.
        reason: PatternError,
    },
    /// A subscription by name whose name has a wildcard token.
    #[error(
        "`{name}` has a wildcard token, and a subscription by name reads that one name: \
         subscribe with `MemoryPattern::new(\"{name}\")`"
    )]
    WildcardName {
        /// The name as it was written.
        name: String,
    },
}

/// A request, or a publish through a [`MemoryRequester`](crate::MemoryRequester), that failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RequestError {
    /// No reply arrived in time.
    #[error("no reply to \"{subject}\" within {timeout:?}")]
    Timeout {
        /// The name the request was published to.
        subject: String,
        /// How long the requester waited.
        timeout: Duration,
    },
    /// The bus behind this handle is shut down, or was shut down while the request waited.
    #[error("the memory broker is shut down")]
    ShutDown,
}

/// The bus takes no more operations; each public error has its own variant for it.
#[derive(Debug)]
pub(crate) struct ShutDown;

impl From<ShutDown> for MemoryError {
    fn from(_: ShutDown) -> Self {
        Self::ShutDown
    }
}

impl From<ShutDown> for RequestError {
    fn from(_: ShutDown) -> Self {
        Self::ShutDown
    }
}
