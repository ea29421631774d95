//! The record of what was published to one name.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::block::Block;
use crate::retention::Keep;

/// The newest messages of one name, under positions that count from the first ever published.
#[derive(Default)]
pub(crate) struct NameLog {
    oldest: usize,
    bytes: usize,
    blocks: VecDeque<Arc<Block>>,
}

impl NameLog {
    /// The position of the oldest message kept.
    pub(crate) const fn oldest(&self) -> usize {
        self.oldest
    }

    /// The position that the next message gets.
    pub(crate) fn tip(&self) -> usize {
        self.oldest + self.blocks.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Records a message and evicts what its bound no longer covers.
    pub(crate) fn append(
        &mut self,
        block: Arc<Block>,
        keep: Keep,
        mut evicted: impl FnMut(Arc<Block>),
    ) -> usize {
        let position = self.tip();
        self.bytes += block.payload.len();
        self.blocks.push_back(block);
        while self.blocks.len() > 1 && !keep.covers(self.blocks.len(), self.bytes) {
            let Some(oldest) = self.blocks.pop_front() else {
                break;
            };
            self.bytes -= oldest.payload.len();
            self.oldest += 1;
            evicted(oldest);
        }
        position
    }

    /// The messages from `position` on, with their positions.
    pub(crate) fn from(&self, position: usize) -> impl Iterator<Item = (usize, &Arc<Block>)> {
        let skipped = position.saturating_sub(self.oldest).min(self.blocks.len());
        (self.oldest + skipped..).zip(self.blocks.range(skipped..))
    }
}
