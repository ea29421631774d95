//! The end of a connection, and what it adds up to.

use std::ops::Add;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::time::timeout;

use super::epoch::Epoch;
use super::{Connection, OPENING_LIMIT};
use crate::error::NatsError;

/// How long a shutdown waits for the server to have read what was sent before it.
const SHUTDOWN_FLUSH_LIMIT: Duration = Duration::from_secs(5);
/// How long it waits for the client to take a step that needs no server.
const LAST_STEP_LIMIT: Duration = Duration::from_millis(400);

/// What went over a connection in its life.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    pub(crate) sent: u64,
    pub(crate) received: u64,
    pub(crate) connects: u64,
}

impl Totals {
    pub(super) fn of(epoch: &Epoch) -> Self {
        Self {
            sent: epoch.statistics.out_messages.load(Ordering::Relaxed),
            received: epoch.statistics.in_messages.load(Ordering::Relaxed),
            connects: epoch.connects(),
        }
    }
}

impl Add for Totals {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            sent: self.sent + other.sent,
            received: self.received + other.received,
            connects: self.connects + other.connects,
        }
    }
}

impl Connection {
    /// Ends the connection for every handle, and sees to it that what was sent before is there.
    pub(crate) async fn shut_down(&self) -> Result<Totals, NatsError> {
        self.closed.store(true, Ordering::Release);
        if !(self.is_connected() && self.flushed().await) {
            tracing::warn!(
                target: "ruststream::nats",
                "the nats server has not confirmed that it read everything; what is still \
                 buffered may be lost"
            );
        }
        let totals = self.epochs.totals();
        match timeout(LAST_STEP_LIMIT, self.epoch().client().drain()).await {
            Ok(drained) => drained.map_err(NatsError::shutdown)?,
            Err(elapsed) => return Err(NatsError::shutdown(elapsed)),
        }
        Ok(totals)
    }

    async fn flushed(&self) -> bool {
        // One round trip may have been slow without being forbidden.
        let limit = if self.answers_round_trips.load(Ordering::Relaxed) {
            SHUTDOWN_FLUSH_LIMIT
        } else {
            OPENING_LIMIT
        };
        if timeout(limit, self.round_trip()).await == Ok(true) {
            return true;
        }
        // Some accounts may not ask; the socket buffer is what is left to empty.
        let epoch = self.epoch();
        let flushed = timeout(LAST_STEP_LIMIT, epoch.client().flush()).await;
        flushed.is_ok_and(|flushed| flushed.is_ok()) && self.is_connected()
    }
}
