//! One subscription's own copy of a message.

use std::ops::Deref;
use std::sync::Arc;

use crate::block::Block;
use crate::observe::Ticket;

/// A copy: the message, and beside it what differs from copy to copy.
pub(crate) struct Entry {
    pub(crate) message: Message,
    /// Where the message stands in the log of its name; meaningless where nothing keeps one.
    pub(crate) position: usize,
    /// How often this copy was handed over, the next hand-over included.
    pub(crate) count: u32,
    pub(crate) ticket: Ticket,
}

/// What a copy is of.
///
/// A message that one queue alone gets lies in that queue: it needs no block that several could
/// count, so publishing and settling it touch no allocator beyond the payload's own buffer.
pub(crate) enum Message {
    Own(Block),
    /// Other copies, or the log, hold it too.
    Shared(Arc<Block>),
}

impl Entry {
    /// A copy that was never handed over.
    #[inline]
    pub(crate) const fn fresh(message: Message, position: usize, ticket: Ticket) -> Self {
        Self {
            message,
            position,
            count: 1,
            ticket,
        }
    }

    /// Makes it the same copy, to be handed over once more.
    #[inline]
    pub(crate) fn renew(&mut self) {
        self.count = self.count.saturating_add(1);
        self.ticket.renew();
    }
}

impl Deref for Message {
    type Target = Block;

    #[inline]
    fn deref(&self) -> &Block {
        match self {
            Self::Own(block) => block,
            Self::Shared(block) => block,
        }
    }
}
