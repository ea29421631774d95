//! One subscription's own copy of a message.

use std::sync::Arc;

use crate::block::Block;
use crate::observe::Ticket;

/// A copy: the shared block, and beside it what differs from copy to copy.
pub(crate) struct Entry {
    pub(crate) block: Arc<Block>,
    /// Where the message stands in the log of its name; meaningless where nothing keeps one.
    pub(crate) position: usize,
    /// How often this copy was handed over, the next hand-over included.
    pub(crate) count: u32,
    pub(crate) ticket: Ticket,
}

impl Entry {
    /// A copy that was never handed over.
    #[inline]
    pub(crate) const fn fresh(block: Arc<Block>, position: usize, ticket: Ticket) -> Self {
        Self {
            block,
            position,
            count: 1,
            ticket,
        }
    }

    /// The same copy, to be handed over once more.
    pub(crate) fn again(self) -> Self {
        Self {
            count: self.count.saturating_add(1),
            ticket: self.ticket.renewed(),
            ..self
        }
    }
}
