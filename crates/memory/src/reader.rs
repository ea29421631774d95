//! The reading end of a subscription's queue.
//!
//! Copies are taken over in bulk: one lock hands the reader everything queued, and it then yields
//! from a buffer of its own. The two buffers are swapped, so neither side allocates in the long
//! run. What was taken lies behind the reader's `&mut self`: a stream that is dropped leaves it to
//! the next one, in order, and copies that are put back queue up behind it.
//!
//! A seek replaces the queue and raises its count of repositions. The reader compares that count
//! before it yields from its buffer, so what it took before the seek is skipped; it reads the count
//! anew only under the lock, together with the queue that goes with it.

use std::collections::VecDeque;
use std::mem;
use std::task::{Poll, Waker};

use crate::entry::Entry;
use crate::registration::Registration;

/// Buffers that a burst grew past this many copies are not kept.
const KEPT_CAPACITY: usize = 1024;

/// Room made at once for what follows a burst; beyond it the queue grows as it fills.
const FORESEEN: usize = 4096;

/// What a subscriber reads from.
pub(crate) struct Reader {
    registration: Registration,
    taken: VecDeque<Entry>,
    repositions: u32,
}

impl Reader {
    pub(crate) fn new(registration: Registration) -> Self {
        Self {
            repositions: registration.queue().repositions(),
            registration,
            taken: VecDeque::new(),
        }
    }

    pub(crate) const fn registration(&self) -> &Registration {
        &self.registration
    }

    /// The next copy, or `waker` is woken by it.
    #[inline]
    pub(crate) fn poll_next(&mut self, waker: &Waker, replays: bool) -> Poll<Entry> {
        if replays && self.repositioned() {
            self.taken.clear();
        }
        loop {
            if let Some(entry) = self.taken.pop_front() {
                return Poll::Ready(entry);
            }
            if !self.take_over(Some(waker)) {
                return Poll::Pending;
            }
        }
    }

    /// A further copy for a batch: one that is queued, and that no seek separates from the others.
    #[inline]
    pub(crate) fn next_queued(&mut self, replays: bool) -> Option<Entry> {
        if replays && self.repositioned() {
            return None;
        }
        if self.taken.is_empty() {
            self.take_over(None);
        }
        self.taken.pop_front()
    }

    /// Whether a seek took effect since the queue was last looked at.
    #[inline]
    fn repositioned(&self) -> bool {
        self.registration.queue().repositions() != self.repositions
    }

    /// Takes everything that is queued; if that is nothing, has `waker` woken.
    #[inline(never)]
    fn take_over(&mut self, waker: Option<&Waker>) -> bool {
        let queue = self.registration.queue();
        let Some(mut queued) = queue.lock() else {
            return false;
        };
        let repositions = queue.repositions();
        if waker.is_none() && repositions != self.repositions {
            return false;
        }
        self.repositions = repositions;
        if queued.entries.is_empty() {
            let replaced = waker.and_then(|waker| queued.wait(waker));
            drop(queued);
            drop(replaced);
            return false;
        }
        if self.taken.capacity() > KEPT_CAPACITY && queued.entries.len() <= KEPT_CAPACITY {
            self.taken = VecDeque::new();
        }
        mem::swap(&mut self.taken, &mut queued.entries);
        // What comes next, or comes back, is likely to be as much again.
        queued.entries.reserve(self.taken.len().min(FORESEEN));
        true
    }
}
