//! What one subscription has not read yet, and the table that all such queues live in.
//!
//! Queues lie in slots of a process-wide table that never moves and never shrinks. A slot outlives
//! the subscription that uses it, so a delivery and a publisher refer to it without a count, and
//! handing a delivery over touches nothing that another thread counts too. The price is that a
//! slot may have gone to another subscription meanwhile: its generation tells, and every access
//! compares it under the slot's lock, which it needs anyway. A generation comes back after 2^32
//! subscriptions in one slot; no delivery is held that long.
//!
//! Lock order: the bus's registry, then slots. Who holds one slot without the registry takes no
//! second lock; who holds several (a commit) holds the registry.

use std::collections::VecDeque;
use std::mem;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::task::Waker;

use tokio::runtime::Handle;

use crate::bus::Bus;
use crate::entry::Entry;
use crate::sync::{lock, replace_waker};

/// Slots in the first chunk of the table; each further chunk has twice as many as the one before.
const FIRST_CHUNK: u32 = 32;
const CHUNKS: usize = (u32::BITS - FIRST_CHUNK.trailing_zeros()) as usize;

static TABLE: [OnceLock<Box<[Slot]>>; CHUNKS] = [const { OnceLock::new() }; CHUNKS];
static FREE: Mutex<FreeSlots> = Mutex::new(FreeSlots {
    released: Vec::new(),
    next: 0,
});

struct FreeSlots {
    released: Vec<&'static Slot>,
    next: u32,
}

impl FreeSlots {
    fn take(&mut self) -> &'static Slot {
        self.released.pop().unwrap_or_else(|| {
            let fresh = slot(self.next);
            self.next += 1;
            fresh
        })
    }
}

/// One place of the table, on cache lines of its own: neighbours belong to other subscriptions.
#[repr(align(128))]
pub(crate) struct Slot {
    index: u32,
    /// Raised, under the lock, each time a seek replaces the queue.
    repositions: AtomicU32,
    queue: Mutex<Queue>,
}

/// The state of the subscription that a slot serves.
pub(crate) struct Queue {
    generation: u32,
    /// Whether every publish to the subscription's name goes to this queue alone.
    sole: bool,
    pub(crate) entries: VecDeque<Entry>,
    /// Present only while the subscriber waits for the queue to fill.
    waker: Option<Waker>,
    /// Copies from before this position were skipped by a seek.
    floor: usize,
    owner: Option<Owner>,
}

/// What a delivery reaches through its subscription.
pub(crate) struct Owner {
    pub(crate) bus: Arc<Bus>,
    pub(crate) runtime: Option<Handle>,
}

/// A queue, as long as its subscription exists.
#[derive(Clone, Copy)]
pub(crate) struct QueueRef {
    slot: &'static Slot,
    generation: u32,
}

impl QueueRef {
    /// Takes a free slot for a new subscription.
    pub(crate) fn open(owner: Owner) -> Self {
        let slot = lock(&FREE).take();
        let mut queue = lock(&slot.queue);
        queue.owner = Some(owner);
        let generation = queue.generation;
        Self { slot, generation }
    }

    /// Gives the slot back; what is still queued is gone.
    pub(crate) fn close(self) {
        let left = {
            let Some(mut queue) = self.lock() else { return };
            let generation = queue.generation.wrapping_add(1).max(1);
            mem::replace(&mut *queue, Queue::empty(generation))
        };
        // Outside the lock: payloads, wakers and the bus may run code of their own when they go.
        drop(left);
        lock(&FREE).released.push(self.slot);
    }

    /// The queue, unless its subscription is gone.
    #[inline]
    pub(crate) fn lock(self) -> Option<MutexGuard<'static, Queue>> {
        let queue = lock(&self.slot.queue);
        (queue.generation == self.generation).then_some(queue)
    }

    /// Appends a copy; whoever waits is returned, to be woken once no lock is held.
    pub(crate) fn push(self, entry: Entry) -> Option<Waker> {
        self.lock()?.push(entry)
    }

    /// The queue, if it is the only one that its name reaches.
    #[inline]
    pub(crate) fn lock_sole(self) -> Option<MutexGuard<'static, Queue>> {
        self.lock().filter(|queue| queue.sole)
    }

    /// Puts a copy that was handed over back at the end, unless a seek skipped it meanwhile.
    ///
    /// The copy is taken from where it lies, and is moved once.
    pub(crate) fn requeue(self, hand: &mut Option<Entry>) {
        let Some(entry) = hand else { return };
        entry.renew();
        let position = entry.position;
        let Some(mut queue) = self.lock().filter(|queue| queue.floor <= position) else {
            // No lock is held: a copy that goes may run foreign code.
            *hand = None;
            return;
        };
        let waker = hand.take().and_then(|entry| queue.push(entry));
        drop(queue);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Replaces what is queued; the replaced copies are returned, to be dropped without a lock.
    pub(crate) fn reposition(
        self,
        target: usize,
        replay: impl Iterator<Item = Entry>,
    ) -> (VecDeque<Entry>, Option<Waker>) {
        let Some(mut queue) = self.lock() else {
            return (VecDeque::new(), None);
        };
        self.slot.repositions.fetch_add(1, Ordering::Release);
        queue.floor = target;
        let skipped = mem::replace(&mut queue.entries, replay.collect());
        (skipped, queue.waker.take())
    }

    /// How many seeks took effect on the queue.
    #[inline]
    pub(crate) fn repositions(self) -> u32 {
        self.slot.repositions.load(Ordering::Acquire)
    }

    pub(crate) fn set_sole(self, sole: bool) {
        if let Some(mut queue) = self.lock() {
            queue.sole = sole;
        }
    }

    /// The broker's runtime, where the subscription was opened through a connected broker.
    pub(crate) fn runtime(self) -> Option<Handle> {
        self.lock()?.owner.as_ref()?.runtime.clone()
    }

    /// The bus, while the subscription exists.
    pub(crate) fn bus(self) -> Option<Arc<Bus>> {
        Some(Arc::clone(&self.lock()?.owner.as_ref()?.bus))
    }

    /// Sorts queues into the order in which a commit locks them.
    pub(crate) const fn index(self) -> u32 {
        self.slot.index
    }

    /// The reference as one number, never zero.
    pub(crate) const fn pack(self) -> u64 {
        (self.generation as u64) << 32 | self.slot.index as u64
    }

    /// The reference that [`pack`](Self::pack) made a number of.
    #[inline]
    pub(crate) fn unpack(packed: u64) -> Option<Self> {
        let generation = u32::try_from(packed >> 32)
            .ok()
            .filter(|&generation| generation != 0)?;
        let (chunk, place) = place(u32::try_from(packed & u64::from(u32::MAX)).ok()?);
        let slot = TABLE.get(chunk)?.get()?.get(place)?;
        Some(Self { slot, generation })
    }
}

impl PartialEq for QueueRef {
    fn eq(&self, other: &Self) -> bool {
        self.pack() == other.pack()
    }
}

impl Queue {
    const fn empty(generation: u32) -> Self {
        Self {
            generation,
            sole: false,
            entries: VecDeque::new(),
            waker: None,
            floor: 0,
            owner: None,
        }
    }

    #[inline]
    pub(crate) fn push(&mut self, entry: Entry) -> Option<Waker> {
        self.entries.push_back(entry);
        self.waker.take()
    }

    /// Has `waker` woken by the next copy; returns the one it replaces, to be dropped unlocked.
    pub(crate) fn wait(&mut self, waker: &Waker) -> Option<Waker> {
        replace_waker(&mut self.waker, waker)
    }
}

/// The chunk and the place in it of slot `index`.
#[inline]
const fn place(index: u32) -> (usize, usize) {
    let shifted = index.saturating_add(FIRST_CHUNK);
    let chunk = shifted.ilog2() - FIRST_CHUNK.ilog2();
    (chunk as usize, (shifted - (FIRST_CHUNK << chunk)) as usize)
}

/// Slot `index`, with the chunk it lies in.
fn slot(index: u32) -> &'static Slot {
    let (chunk, place) = place(index);
    let slots = TABLE[chunk].get_or_init(|| {
        let len = FIRST_CHUNK << chunk;
        let first = index - u32::try_from(place).unwrap_or_default();
        (first..first + len)
            .map(|index| Slot {
                index,
                repositions: AtomicU32::new(0),
                queue: Mutex::new(Queue::empty(1)),
            })
            .collect()
    });
    &slots[place]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_index_has_a_place_of_its_own() {
        let mut expected = (0, 0);
        for index in 0..100_000 {
            assert_eq!(place(index), expected);
            expected.1 += 1;
            if expected.1 == (FIRST_CHUNK as usize) << expected.0 {
                expected = (expected.0 + 1, 0);
            }
        }
    }
}
