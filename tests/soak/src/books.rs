//! What was stored, what was handled, and how often.
//!
//! The books have a fixed number of places, all of them written at the start, so that they take as
//! much memory in the first minute as in the last.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;

use crate::outages::Outages;

/// How many messages are remembered.
const PLACES: usize = 1 << 19;
/// How many may be under way: stored or handled, and not both.
const UNDER_WAY: usize = 20_000;

/// Who handles each message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reader {
    OneByOne,
    InBatches,
}

const READERS: usize = 2;

#[derive(Debug, Clone, Copy)]
struct Entry {
    id: u64,
    is_stored: bool,
    /// When each reader handled it first.
    handled: [Option<Instant>; READERS],
    /// Where the stream has it, by who was told.
    sequence: Option<u64>,
}

impl Entry {
    fn is_done(&self) -> bool {
        self.is_stored && self.handled.iter().all(Option::is_some)
    }
}

#[derive(Debug)]
struct Pages {
    places: Vec<Entry>,
    next: u64,
    tally: Tally,
}

/// What the books come to.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tally {
    pub(crate) stored: u64,
    pub(crate) handled: [u64; READERS],
    /// Handled again, after a kill that can be why.
    pub(crate) again: u64,
    /// The longest time between the handling and the kill that it did not outlive.
    pub(crate) reached_back: Duration,
    /// Handled again without such a kill.
    pub(crate) unexplained: u64,
    /// In the stream under two sequences.
    pub(crate) stored_twice: u64,
    /// A publish that was made again.
    pub(crate) published_again: u64,
    /// Stored, and not handled by each reader.
    pub(crate) lost: u64,
}

#[derive(Debug)]
pub(crate) struct Books {
    pages: Mutex<Pages>,
    room: Semaphore,
}

impl Books {
    pub(crate) fn new() -> Self {
        let blank = Entry {
            id: u64::MAX,
            is_stored: true,
            handled: [None; READERS],
            sequence: None,
        };
        Self {
            pages: Mutex::new(Pages {
                places: vec![blank; PLACES],
                next: 0,
                tally: Tally::default(),
            }),
            room: Semaphore::new(UNDER_WAY),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Pages> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A message to publish, once there is room for one.
    pub(crate) async fn next(&self) -> u64 {
        let room = self.room.acquire().await.expect("never closed");
        room.forget();
        let mut pages = self.lock();
        let id = pages.next;
        pages.next += 1;
        *pages.place(id) = Entry {
            id,
            is_stored: false,
            handled: [None; READERS],
            sequence: None,
        };
        id
    }

    /// The stream acknowledged it.
    pub(crate) fn stored(&self, id: u64) {
        let mut pages = self.lock();
        pages.tally.stored += 1;
        let place = pages.place(id);
        place.is_stored = true;
        if place.is_done() {
            self.room.add_permits(1);
        }
    }

    pub(crate) fn published_again(&self) {
        self.lock().tally.published_again += 1;
    }

    /// A reader handles it; only who reads one by one is told its sequence.
    pub(crate) fn handled(
        &self,
        id: u64,
        reader: Reader,
        sequence: Option<u64>,
        outages: &Outages,
    ) {
        let now = Instant::now();
        let mut pages = self.lock();
        let place = pages.place(id);
        if place.id != id {
            // So old that it was forgotten.
            pages.tally.unexplained += 1;
            return;
        }
        let is_elsewhere =
            sequence.is_some() && place.sequence.is_some() && place.sequence != sequence;
        place.sequence = place.sequence.or(sequence);
        let at = reader as usize;
        let Some(first) = place.handled[at] else {
            place.handled[at] = Some(now);
            let is_done = place.is_done();
            pages.tally.handled[at] += 1;
            if is_done {
                self.room.add_permits(1);
            }
            return;
        };
        if is_elsewhere {
            pages.tally.stored_twice += 1;
        } else if let Some(reached) = outages.explain(first, now) {
            pages.tally.again += 1;
            pages.tally.reached_back = pages.tally.reached_back.max(reached);
        } else {
            pages.tally.unexplained += 1;
        }
    }

    /// Whether all that was stored was handled.
    pub(crate) fn are_even(&self) -> bool {
        self.room.available_permits() == UNDER_WAY
    }

    pub(crate) fn tally(&self) -> Tally {
        let pages = self.lock();
        let missing = pages.places.iter().filter(|entry| {
            entry.id != u64::MAX && entry.is_stored && entry.handled.iter().any(Option::is_none)
        });
        Tally {
            lost: missing.count() as u64,
            ..pages.tally.clone()
        }
    }
}

impl Pages {
    fn place(&mut self, id: u64) -> &mut Entry {
        let places = self.places.len() as u64;
        &mut self.places[usize::try_from(id % places).expect("a place")]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn published(books: &Books) -> u64 {
        let id = books.next().await;
        books.stored(id);
        id
    }

    // NATS-T46
    #[tokio::test]
    async fn what_is_stored_and_not_handled_by_each_reader_is_lost() {
        let (books, outages) = (Books::new(), Outages::default());
        let (done, half) = (published(&books).await, published(&books).await);
        let _not_stored = books.next().await;
        for (id, reader) in [
            (done, Reader::OneByOne),
            (done, Reader::InBatches),
            (half, Reader::InBatches),
        ] {
            books.handled(id, reader, None, &outages);
        }

        assert_eq!(books.tally().lost, 1);
        assert!(!books.are_even());
        assert_eq!((books.tally().stored, books.tally().handled), (2, [1, 2]));
    }

    // NATS-T46, NATS-F53
    #[tokio::test]
    async fn what_is_handled_again_is_explained_by_a_kill_and_by_nothing_else() {
        let (books, outages) = (Books::new(), Outages::default());
        let id = published(&books).await;
        let again = || books.handled(id, Reader::OneByOne, Some(7), &outages);
        again();

        again();
        assert_eq!((books.tally().again, books.tally().unexplained), (0, 1));
        outages.killed();
        again();
        assert_eq!((books.tally().again, books.tally().unexplained), (1, 1));
    }

    // NATS-T48
    #[tokio::test]
    async fn a_message_under_two_sequences_was_stored_twice() {
        let (books, outages) = (Books::new(), Outages::default());
        let id = published(&books).await;
        outages.killed();

        for sequence in [7, 8] {
            books.handled(id, Reader::OneByOne, Some(sequence), &outages);
        }

        assert_eq!((books.tally().stored_twice, books.tally().again), (1, 0));
    }
}
