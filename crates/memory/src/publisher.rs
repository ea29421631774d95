//! The plain publisher, with both kinds of transaction.

use std::fmt;
use std::sync::Arc;

use ruststream_core::{
    BytesMut, OutgoingMessage, OwnedTransactions, Publisher, Take, TransactionalPublisher,
};

use crate::block::Block;
use crate::bus::Bus;
use crate::draft::Draft;
use crate::error::MemoryError;
use crate::sender::Sender;
use crate::transaction::{HandleTransaction, MemoryTransaction};

/// Publishes to the bus of one [`MemoryBroker`](crate::MemoryBroker).
///
/// `Ok` from a publish says that every subscription it reaches has its copy queued, and that a
/// retaining broker has it in its log. Nobody reading is no error. The publish is done when its
/// future is first polled, which never waits; a future dropped before published nothing.
///
/// While a transaction is open on the handle, a publish joins its buffer. A clone is a handle of
/// its own: it neither joins nor carries an open transaction.
///
/// ```
/// use ruststream_core::{OutgoingMessage, Publisher, TransactionalPublisher};
/// use ruststream_memory::{MemoryBroker, MemoryError};
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
///
/// let publisher = MemoryBroker::new().publisher();
/// publisher.begin_transaction().await?;
/// publisher.publish(OutgoingMessage::new("parcels", b"1"), None).await?;
/// publisher.publish(OutgoingMessage::new("parcels", b"2"), None).await?;
/// publisher.commit().await?;
/// assert_eq!(publisher.commit().await, Err(MemoryError::NoTransaction));
/// # Ok::<(), MemoryError>(())
/// # }).unwrap();
/// ```
pub struct MemoryPublisher {
    sender: Sender,
    transaction: HandleTransaction,
}

impl MemoryPublisher {
    pub(crate) fn new(bus: Arc<Bus>) -> Self {
        Self {
            sender: Sender::new(bus),
            transaction: HandleTransaction::default(),
        }
    }

    fn publish_into_transaction(
        &self,
        message: OutgoingMessage<'_, BytesMut>,
    ) -> Result<(), MemoryError> {
        let name = message.name();
        match self.transaction.push(Block::of(message)) {
            Ok(()) => Ok(()),
            Err(block) => {
                self.sender.bus().publish(name, Draft::made(block))?;
                Ok(())
            }
        }
    }
}

impl Publisher for MemoryPublisher {
    type Payload = Take;
    type Error = MemoryError;
    type Options = ();

    #[inline]
    async fn publish(
        &self,
        msg: OutgoingMessage<'_, BytesMut>,
        _options: Option<&()>,
    ) -> Result<(), MemoryError> {
        if self.transaction.is_open() {
            return self.publish_into_transaction(msg);
        }
        let (name, payload, headers) = msg.into_parts();
        Ok(self.sender.send(name, payload, headers)?)
    }
}

impl TransactionalPublisher for MemoryPublisher {
    /// Makes the publishes of this handle buffer.
    ///
    /// # Errors
    ///
    /// [`MemoryError::TransactionBusy`] while one is open, which stays as it is.
    async fn begin_transaction(&self) -> Result<(), MemoryError> {
        self.transaction.begin()
    }

    /// Publishes the buffer, in order, as one step that no other publish interrupts.
    ///
    /// # Errors
    ///
    /// [`MemoryError::NoTransaction`] with none open. [`MemoryError::ShutDown`] on a shut-down bus:
    /// nothing is published, the buffer is lost and the transaction over.
    async fn commit(&self) -> Result<(), MemoryError> {
        let buffer = self.transaction.close()?;
        Ok(self.sender.bus().commit(buffer)?)
    }

    /// Discards the buffer.
    ///
    /// # Errors
    ///
    /// [`MemoryError::NoTransaction`] with none open.
    async fn abort(&self) -> Result<(), MemoryError> {
        self.transaction.close().map(drop)
    }
}

impl OwnedTransactions for MemoryPublisher {
    type Transaction = MemoryTransaction;

    /// Opens a transaction with a buffer of its own. This never fails.
    async fn transaction(&self) -> Result<MemoryTransaction, MemoryError> {
        Ok(MemoryTransaction::new(Arc::clone(self.sender.bus())))
    }
}

impl Clone for MemoryPublisher {
    fn clone(&self) -> Self {
        Self {
            sender: self.sender.clone(),
            transaction: HandleTransaction::default(),
        }
    }
}

impl fmt::Debug for MemoryPublisher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryPublisher").finish_non_exhaustive()
    }
}
