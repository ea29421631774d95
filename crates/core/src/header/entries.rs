//! The block in which a map keeps its headers.

use std::cell::Cell;
use std::mem::{self, ManuallyDrop};
use std::ops::{Deref, DerefMut};

use super::value::Value;
use crate::Str;

/// Room for what most messages carry.
const FIRST_BLOCK: usize = 4;

#[derive(Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// In ASCII lowercase.
    pub(super) name: Str,
    pub(super) value: Value,
}

/// The headers of one map, in a block that goes back to its thread when the map is gone.
///
/// A transform that sets a header on each message, or a handler that reads each and answers, then
/// works in one and the same block.
#[derive(Clone, Default, PartialEq, Eq)]
pub(super) struct Entries(ManuallyDrop<Vec<Entry>>);

thread_local! {
    /// Apart from the block, since it is looked at more often than that one changes hands.
    static KEPT: Cell<bool> = const { Cell::new(false) };
    static SPARE: Cell<Vec<Entry>> = const { Cell::new(Vec::new()) };
}

impl Entries {
    pub(super) const fn new() -> Self {
        Self(ManuallyDrop::new(Vec::new()))
    }

    /// Allocates nothing for zero.
    pub(super) fn with_capacity(cap: usize) -> Self {
        Self(ManuallyDrop::new(Vec::with_capacity(cap)))
    }

    /// Puts one more header behind the others.
    #[inline]
    pub(super) fn push(&mut self, entry: Entry) {
        if self.0.capacity() == 0 {
            *self.0 = first_block();
        }
        self.0.push(entry);
    }

    /// The headers, out of the reach of the spare block.
    pub(super) fn into_vec(mut self) -> Vec<Entry> {
        mem::take(&mut *self.0)
    }
}

impl Deref for Entries {
    type Target = Vec<Entry>;

    #[inline]
    fn deref(&self) -> &Vec<Entry> {
        &self.0
    }
}

impl DerefMut for Entries {
    #[inline]
    fn deref_mut(&mut self) -> &mut Vec<Entry> {
        &mut self.0
    }
}

impl Drop for Entries {
    // Most messages carry no header, and then there is nothing to free.
    #[inline]
    fn drop(&mut self) {
        if self.0.capacity() != 0 {
            release(mem::take(&mut *self.0));
        }
    }
}

/// Frees a block, or keeps it: one a thread, and only one of the usual size.
#[inline(never)]
fn release(mut block: Vec<Entry>) {
    if !KEPT.get() && block.capacity() == FIRST_BLOCK {
        // Before the spare is touched: what a value frees may be anybody's.
        block.clear();
        // A thread that is about to end keeps nothing any more, and the block is freed.
        KEPT.set(SPARE.try_with(|spare| spare.set(block)).is_ok());
    }
}

fn first_block() -> Vec<Entry> {
    if KEPT.replace(false)
        && let Ok(block) = SPARE.try_with(Cell::take)
    {
        return block;
    }
    Vec::with_capacity(FIRST_BLOCK)
}
