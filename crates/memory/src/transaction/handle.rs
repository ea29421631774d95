//! The one transaction that a publisher handle can have open.

use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use crate::block::Block;
use crate::error::MemoryError;
use crate::sync::lock;

/// A handle's transaction; without one open a publish costs one load here.
#[derive(Default)]
pub(crate) struct HandleTransaction {
    open: AtomicBool,
    buffer: Mutex<Option<Vec<Arc<Block>>>>,
}

impl HandleTransaction {
    #[inline]
    pub(crate) fn is_open(&self) -> bool {
        self.open.load(Ordering::Acquire)
    }

    pub(crate) fn begin(&self) -> Result<(), MemoryError> {
        let mut buffer = lock(&self.buffer);
        if buffer.is_some() {
            return Err(MemoryError::TransactionBusy);
        }
        *buffer = Some(Vec::new());
        self.open.store(true, Ordering::Release);
        Ok(())
    }

    /// Buffers a message, or hands it back if the transaction was settled meanwhile.
    pub(crate) fn push(&self, block: Arc<Block>) -> Result<(), Arc<Block>> {
        match &mut *lock(&self.buffer) {
            Some(buffer) => {
                buffer.push(block);
                Ok(())
            }
            None => Err(block),
        }
    }

    /// Closes the transaction and returns what it buffered.
    pub(crate) fn close(&self) -> Result<Vec<Arc<Block>>, MemoryError> {
        let mut buffer = lock(&self.buffer);
        self.open.store(false, Ordering::Release);
        mem::take(&mut *buffer).ok_or(MemoryError::NoTransaction)
    }
}
