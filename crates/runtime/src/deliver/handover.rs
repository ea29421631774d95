//! The hand-over between the loop that takes from a stream and the workers that handle.
//!
//! A [`Giver`], which the loop owns, and [`Taker`]s, one for each worker, share some lanes. An item
//! is given to a lane and taken, first in first out, by one of the lane's workers.
//!
//! Each lane is one small value behind one mutex, held for a few instructions and never while a
//! waker is called or an item is dropped. An item is *out* from `give` until its worker asks for
//! the next one. What is relied on:
//!
//! 1. At most `limit` items of a lane are out. Only the giver adds, and only where it saw room;
//!    takers only make room. So room, once seen, stays until the giver uses it, and the queue,
//!    allocated for `limit` items, never grows.
//! 2. `parked` holds the workers that found the queue empty and were not called since. Where the
//!    queue is not empty, either nobody is parked, or at least as many workers as there are queued
//!    items were called and have not looked yet. `give` calls one parked worker for each item; a
//!    called worker that goes away without looking calls another one in its place.
//! 3. `awaited` is set, under the lock, by a giver that saw no room, after it registered its waker.
//!    Whoever makes room clears the flag under the same lock and calls the giver afterwards: either
//!    the giver sees the room or the taker sees the flag.
//! 4. A taker that goes away without having been told the end has died. Its number is stored
//!    before the giver is called, and the giver registers before it looks.
//! 5. Closing the giver lets takers have what is queued, then the end. A giver dropped unclosed
//!    drops what is queued: its loop was aborted.

use std::collections::VecDeque;
use std::future::Future;
use std::mem;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use atomic_waker::AtomicWaker;

/// No worker has died.
const NOBODY: usize = usize::MAX;

/// How many lanes there are, and what each of them bears.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    pub(super) lanes: usize,
    /// Workers of one lane.
    pub(super) workers: usize,
    /// Items of one lane that may be out at once.
    pub(super) limit: usize,
}

/// Lanes of that shape; the takers come lane by lane.
pub(super) fn lanes<T>(shape: Shape) -> (Giver<T>, Vec<Taker<T>>) {
    let lane = || {
        Mutex::new(Lane {
            queue: VecDeque::with_capacity(shape.limit),
            limit: shape.limit,
            working: 0,
            alive: shape.workers,
            closed: false,
            awaited: false,
            parked: Vec::with_capacity(shape.workers),
        })
    };
    let lanes = Arc::new(Shared {
        lanes: (0..shape.lanes).map(|_| lane()).collect(),
        giver: AtomicWaker::new(),
        dead: AtomicUsize::new(NOBODY),
    });
    let takers = (0..shape.lanes * shape.workers)
        .map(|worker| Taker {
            lanes: Arc::clone(&lanes),
            lane: worker / shape.workers,
            worker,
            holding: false,
            told_the_end: false,
        })
        .collect();
    (
        Giver {
            room: vec![true; shape.lanes].into(),
            lanes,
            closed: false,
        },
        takers,
    )
}

struct Shared<T> {
    lanes: Box<[Mutex<Lane<T>>]>,
    giver: AtomicWaker,
    dead: AtomicUsize,
}

struct Lane<T> {
    queue: VecDeque<T>,
    limit: usize,
    /// Items that workers took and have not finished.
    working: usize,
    /// Workers that have not gone away.
    alive: usize,
    closed: bool,
    awaited: bool,
    /// The one that parked last is called first: its memory is warm.
    parked: Vec<(usize, Waker)>,
}

impl<T> Shared<T> {
    #[inline]
    fn lock(&self, lane: usize) -> MutexGuard<'_, Lane<T>> {
        // Nothing that may panic runs under the lock.
        self.lanes[lane]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Lane<T> {
    #[inline]
    fn has_room(&self) -> bool {
        self.queue.len() + self.working < self.limit
    }

    /// A parked worker to call for one more item.
    #[inline]
    fn next_parked(&mut self) -> Option<Waker> {
        self.parked.pop().map(|(_, waker)| waker)
    }

    /// Whether `worker` was still parked.
    fn unpark(&mut self, worker: usize) -> bool {
        let place = self.parked.iter().position(|(parked, _)| *parked == worker);
        place.map(|place| self.parked.swap_remove(place)).is_some()
    }
}

#[inline]
fn call(waker: Option<Waker>) {
    if let Some(waker) = waker {
        waker.wake();
    }
}

/// The loop's end. There is one, so that room it saw cannot be taken by another.
pub(super) struct Giver<T> {
    lanes: Arc<Shared<T>>,
    /// Lanes whose room is known without a look.
    room: Box<[bool]>,
    closed: bool,
}

impl<T> Giver<T> {
    pub(super) fn count(&self) -> usize {
        self.room.len()
    }

    /// The first worker found dead.
    #[inline]
    pub(super) fn dead(&self) -> Option<usize> {
        let dead = self.lanes.dead.load(Ordering::Acquire);
        (dead != NOBODY).then_some(dead)
    }

    /// Ready once a worker has died.
    pub(super) fn poll_dead(&self, cx: &Context<'_>) -> Poll<usize> {
        self.lanes.giver.register(cx.waker());
        self.dead().map_or(Poll::Pending, Poll::Ready)
    }

    /// Ready with `true` once `lane` has room, with `false` where all its workers are dead.
    #[inline]
    pub(super) fn poll_room(&mut self, lane: usize, cx: &Context<'_>) -> Poll<bool> {
        if self.room[lane] {
            return Poll::Ready(true);
        }
        self.lanes.giver.register(cx.waker());
        self.look(lane)
    }

    fn look(&mut self, lane: usize) -> Poll<bool> {
        let mut state = self.lanes.lock(lane);
        if state.alive == 0 {
            return Poll::Ready(false);
        }
        if state.has_room() {
            state.awaited = false;
            self.room[lane] = true;
            return Poll::Ready(true);
        }
        state.awaited = true;
        Poll::Pending
    }

    /// Ready with the first lane from `from` on that has room, or with a worker that has died.
    #[inline]
    pub(super) fn poll_any_room(
        &mut self,
        from: usize,
        cx: &Context<'_>,
    ) -> Poll<Result<usize, usize>> {
        if self.room[from] {
            return Poll::Ready(Ok(from));
        }
        self.lanes.giver.register(cx.waker());
        if let Some(dead) = self.dead() {
            return Poll::Ready(Err(dead));
        }
        let all = self.count();
        for step in 0..all {
            let lane = (from + step) % all;
            if self.room[lane] || self.look(lane) == Poll::Ready(true) {
                return Poll::Ready(Ok(lane));
            }
        }
        Poll::Pending
    }

    /// Hands `item` to `lane`, whose room was seen.
    #[inline]
    pub(super) fn give(&mut self, lane: usize, item: T) {
        debug_assert!(self.room[lane], "the lane's room was not looked for");
        let mut state = self.lanes.lock(lane);
        state.queue.push_back(item);
        self.room[lane] = state.has_room();
        let parked = state.next_parked();
        drop(state);
        call(parked);
    }
}

impl<T> Giver<T> {
    /// Gives no more; what is queued is still taken.
    pub(super) fn close(mut self) {
        self.closed = true;
    }
}

impl<T> Drop for Giver<T> {
    fn drop(&mut self) {
        for lane in 0..self.count() {
            let mut state = self.lanes.lock(lane);
            state.closed = true;
            let left = if self.closed {
                VecDeque::new()
            } else {
                mem::take(&mut state.queue)
            };
            let parked = mem::take(&mut state.parked);
            drop(state);
            drop(left);
            for (_, waker) in parked {
                waker.wake();
            }
        }
    }
}

/// One worker's end.
pub(super) struct Taker<T> {
    lanes: Arc<Shared<T>>,
    lane: usize,
    worker: usize,
    /// Whether the item taken last still counts as out.
    holding: bool,
    told_the_end: bool,
}

impl<T> Taker<T> {
    /// Finishes the item taken last and takes the next one; `None` is the end.
    ///
    /// Cancel safe: an item is either still queued or returned.
    #[inline]
    pub(super) fn take(&mut self) -> Take<'_, T> {
        Take {
            taker: self,
            parked: false,
        }
    }

    /// Finishes the item taken last without taking another.
    pub(super) fn finish(&mut self) {
        if !mem::take(&mut self.holding) {
            return;
        }
        let mut state = self.lanes.lock(self.lane);
        state.working -= 1;
        let awaited = mem::take(&mut state.awaited);
        drop(state);
        if awaited {
            self.lanes.giver.wake();
        }
    }

    #[inline]
    fn poll_take(&mut self, was_parked: bool, cx: &Context<'_>) -> Poll<Option<T>> {
        let mut state = self.lanes.lock(self.lane);
        let finished = mem::take(&mut self.holding);
        state.working -= usize::from(finished);
        let awaited = finished && mem::take(&mut state.awaited);
        if was_parked {
            state.unpark(self.worker);
        }
        let taken = match state.queue.pop_front() {
            Some(item) => {
                state.working += 1;
                self.holding = true;
                Poll::Ready(Some(item))
            }
            None if state.closed => {
                self.told_the_end = true;
                Poll::Ready(None)
            }
            None => {
                state.parked.push((self.worker, cx.waker().clone()));
                Poll::Pending
            }
        };
        drop(state);
        if awaited {
            self.lanes.giver.wake();
        }
        taken
    }
}

impl<T> Drop for Taker<T> {
    fn drop(&mut self) {
        if self.told_the_end {
            return;
        }
        let mut state = self.lanes.lock(self.lane);
        state.working -= usize::from(mem::take(&mut self.holding));
        state.alive -= 1;
        drop(state);
        // The first one is the one that is told.
        let _ = self.lanes.dead.compare_exchange(
            NOBODY,
            self.worker,
            Ordering::Release,
            Ordering::Relaxed,
        );
        self.lanes.giver.wake();
    }
}

/// What [`Taker::take`] waits with.
pub(super) struct Take<'a, T> {
    taker: &'a mut Taker<T>,
    parked: bool,
}

impl<T> Future for Take<'_, T> {
    type Output = Option<T>;

    #[inline]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<T>> {
        let was_parked = self.parked;
        let taken = self.taker.poll_take(was_parked, cx);
        self.parked = taken.is_pending();
        taken
    }
}

impl<T> Drop for Take<'_, T> {
    fn drop(&mut self) {
        if !self.parked {
            return;
        }
        let Taker {
            lanes,
            lane,
            worker,
            ..
        } = &*self.taker;
        let mut state = lanes.lock(*lane);
        // Called and gone without a look: another one looks instead.
        let called = !state.unpark(*worker);
        let instead = if called && !state.queue.is_empty() {
            state.next_parked()
        } else {
            None
        };
        drop(state);
        call(instead);
    }
}

#[cfg(test)]
mod tests;
