//! What waits under one name.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use ruststream::HeaderMap;
use ruststream::runtime::RETRY_COUNT_HEADER;

/// What a transport can do; its deliveries behave so.
#[derive(Debug, Clone, Copy)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a habit of its own, and any combination is a transport"
)]
pub(crate) struct Transport {
    /// It counts deliveries.
    pub(crate) counts: bool,
    /// It holds a delivery back for a delay.
    pub(crate) holds: bool,
    /// What it holds comes back as a copy that it makes itself.
    pub(crate) copies: bool,
    /// It settles; else every settlement is unsupported, and a delivery is gone once it is taken.
    pub(crate) settles: bool,
}

impl Transport {
    /// It settles, and neither counts nor holds.
    pub(crate) const PLAIN: Self = Self {
        counts: false,
        holds: false,
        copies: false,
        settles: true,
    };
    /// It counts, holds and settles.
    pub(crate) const FULL: Self = Self {
        counts: true,
        holds: true,
        copies: false,
        settles: true,
    };
    /// It does nothing but deliver.
    pub(crate) const BARE: Self = Self {
        counts: false,
        holds: false,
        copies: false,
        settles: false,
    };
}

/// A message that waits, or one that was delivered.
#[derive(Debug, Clone)]
pub(crate) struct Letter {
    pub(crate) payload: Vec<u8>,
    pub(crate) headers: HeaderMap,
    /// How often it was delivered, the next time included.
    pub(crate) count: u64,
    /// Why the broker cannot read it.
    pub(crate) unreadable: Option<&'static str>,
}

impl Letter {
    // Numbers and literals are what tests send.
    #[allow(clippy::needless_pass_by_value)]
    pub(crate) fn new(payload: impl ToString) -> Self {
        Self {
            payload: payload.to_string().into_bytes(),
            headers: HeaderMap::new(),
            count: 1,
            unreadable: None,
        }
    }

    pub(crate) fn with(mut self, name: &'static str, value: impl Into<Vec<u8>>) -> Self {
        self.headers.insert(name, value.into());
        self
    }

    /// It was delivered so many times before, the coming one included.
    pub(crate) fn delivered(mut self, count: u64) -> Self {
        self.count = count;
        self
    }

    /// The broker's own copy: a message of its own to a transport that counts, and one more attempt
    /// in the header to whoever counts by that.
    pub(super) fn copied(mut self, transport: Transport) -> Self {
        self.count = 1;
        if !transport.counts {
            let copies = self.headers.get_str(RETRY_COUNT_HEADER);
            let copies: u32 = copies.map_or(0, |copies| copies.parse().expect("a number"));
            self.headers
                .insert(RETRY_COUNT_HEADER, (copies + 1).to_string());
        }
        self
    }

    pub(crate) fn unreadable(mut self, why: &'static str) -> Self {
        self.unreadable = Some(why);
        self
    }

    /// The payload as text, which is what tests call a message by.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.payload).into_owned()
    }
}

#[derive(Debug, Default)]
pub(super) struct Queue(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    letters: VecDeque<Letter>,
    /// So many errors come before the next message.
    errors: usize,
    ended: bool,
    wakers: Vec<Waker>,
}

/// What a subscription finds.
pub(super) enum Found {
    Letter(Letter),
    Error,
    End,
}

impl Queue {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.state();
        change(&mut state);
        let wakers = std::mem::take(&mut state.wakers);
        drop(state);
        wakers.into_iter().for_each(Waker::wake);
    }

    pub(super) fn push(&self, letter: Letter) {
        self.change(|state| state.letters.push_back(letter));
    }

    pub(super) fn err(&self, times: usize) {
        self.change(|state| state.errors = times);
    }

    pub(super) fn end(&self) {
        self.change(|state| state.ended = true);
    }

    pub(super) fn waiting(&self) -> Vec<Letter> {
        self.state().letters.iter().cloned().collect()
    }

    pub(super) fn pop(&self) -> Option<Letter> {
        self.state().letters.pop_front()
    }

    pub(super) fn poll(&self, cx: &Context<'_>) -> Poll<Found> {
        let mut state = self.state();
        if state.errors > 0 {
            if state.errors < usize::MAX {
                state.errors -= 1;
            }
            return Poll::Ready(Found::Error);
        }
        if let Some(letter) = state.letters.pop_front() {
            return Poll::Ready(Found::Letter(letter));
        }
        if state.ended {
            return Poll::Ready(Found::End);
        }
        state.wakers.push(cx.waker().clone());
        Poll::Pending
    }
}
