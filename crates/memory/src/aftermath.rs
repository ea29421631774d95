//! What is left to do once the locks are released.

use std::sync::Arc;
use std::task::Waker;

use crate::block::Block;
use crate::few::Few;

/// Readers to wake and messages to let go.
///
/// A waker and the drop of a payload may run foreign code, which must find the bus unlocked.
pub(crate) struct Aftermath {
    wakers: Few<Waker>,
    released: Few<Arc<Block>>,
}

impl Aftermath {
    pub(crate) const fn new() -> Self {
        Self {
            wakers: Few::new(),
            released: Few::new(),
        }
    }

    pub(crate) fn wake(&mut self, waker: Option<Waker>) {
        if let Some(waker) = waker {
            self.wakers.push(waker);
        }
    }

    pub(crate) fn release(&mut self, block: Arc<Block>) {
        self.released.push(block);
    }

    pub(crate) fn settle(self) {
        self.wakers.each(Waker::wake);
        self.released.each(drop);
    }
}
