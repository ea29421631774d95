//! A transaction as a value of its own.

use std::fmt;
use std::mem;
use std::sync::Arc;

use ruststream_core::{BytesMut, OutgoingMessage, Take, Transaction};
use tracing::warn;

use crate::block::Block;
use crate::bus::Bus;
use crate::error::MemoryError;

/// A transaction opened with [`OwnedTransactions::transaction`](ruststream_core::OwnedTransactions::transaction).
///
/// Any number may be open on one handle, each with a buffer of its own. A commit shows the whole
/// buffer to every subscription as one step. Dropping it unsettled discards the buffer and logs a
/// warning; one whose commit failed is settled and its buffer is lost.
#[must_use]
pub struct MemoryTransaction {
    bus: Arc<Bus>,
    buffer: Vec<Arc<Block>>,
    settled: bool,
}

impl MemoryTransaction {
    pub(crate) const fn new(bus: Arc<Bus>) -> Self {
        Self {
            bus,
            buffer: Vec::new(),
            settled: false,
        }
    }
}

impl Transaction for MemoryTransaction {
    type Payload = Take;
    type Error = MemoryError;
    type Options = ();

    /// Adds the message to the buffer. This never fails, not even on a shut-down bus.
    async fn publish(
        &mut self,
        msg: OutgoingMessage<'_, BytesMut>,
        _options: Option<&()>,
    ) -> Result<(), MemoryError> {
        self.buffer.push(Block::of(msg));
        Ok(())
    }

    /// Publishes the buffer as one step.
    ///
    /// # Errors
    ///
    /// [`MemoryError::ShutDown`], with nothing published and the buffer lost.
    async fn commit(mut self) -> Result<(), MemoryError> {
        self.settled = true;
        Ok(self.bus.commit(mem::take(&mut self.buffer))?)
    }

    /// Discards the buffer. This never fails.
    async fn abort(mut self) -> Result<(), MemoryError> {
        self.settled = true;
        Ok(())
    }
}

impl Drop for MemoryTransaction {
    fn drop(&mut self) {
        if !self.settled {
            warn!(
                target: "ruststream::memory",
                buffered = self.buffer.len(),
                "a memory transaction was dropped without commit or abort, its messages are discarded"
            );
        }
    }
}

impl fmt::Debug for MemoryTransaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryTransaction")
            .field("buffered", &self.buffer.len())
            .field("settled", &self.settled)
            .finish_non_exhaustive()
    }
}
