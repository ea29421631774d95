//! Which epoch is the current one.

use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;

use super::epoch::Epoch;
use super::shutdown::Totals;

/// The epochs of a connection: nearly always the first one, which is reached without a lock.
pub(super) struct Epochs {
    first: Epoch,
    has_later: AtomicBool,
    later: Mutex<Option<Arc<Epoch>>>,
    /// What the epochs before the current one counted.
    past: Mutex<Totals>,
    life: watch::Sender<Life>,
}

/// How far the connection has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Life {
    /// The number of the current epoch.
    pub(super) epoch: u64,
    /// Nothing follows the current epoch.
    pub(super) over: bool,
}

impl Epochs {
    pub(super) fn new(first: Epoch) -> Self {
        let life = Life {
            epoch: first.number(),
            over: false,
        };
        Self {
            first,
            has_later: AtomicBool::new(false),
            later: Mutex::new(None),
            past: Mutex::new(Totals::default()),
            life: watch::Sender::new(life),
        }
    }

    #[inline]
    pub(super) fn current(&self) -> Current<'_> {
        if self.has_later.load(Ordering::Acquire)
            && let Some(later) = &*self.later.lock().unwrap_or_else(PoisonError::into_inner)
        {
            return Current::Later(Arc::clone(later));
        }
        Current::First(&self.first)
    }

    /// Makes `epoch` the current one.
    pub(super) fn succeed(&self, epoch: Epoch) {
        let number = epoch.number();
        let ended = Totals::of(&self.current());
        {
            let mut past = self.past.lock().unwrap_or_else(PoisonError::into_inner);
            *past = *past + ended;
        }
        *self.later.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(epoch));
        self.has_later.store(true, Ordering::Release);
        self.life.send_modify(|life| life.epoch = number);
    }

    /// What all epochs counted.
    pub(super) fn totals(&self) -> Totals {
        let past = *self.past.lock().unwrap_or_else(PoisonError::into_inner);
        past + Totals::of(&self.current())
    }

    pub(super) fn finish(&self) {
        self.life.send_modify(|life| life.over = true);
    }

    pub(super) fn life(&self) -> watch::Receiver<Life> {
        self.life.subscribe()
    }
}

/// An epoch, for as long as it is worked with.
pub(crate) enum Current<'a> {
    First(&'a Epoch),
    Later(Arc<Epoch>),
}

impl Deref for Current<'_> {
    type Target = Epoch;

    #[inline]
    fn deref(&self) -> &Epoch {
        match self {
            Self::First(epoch) => epoch,
            Self::Later(epoch) => epoch,
        }
    }
}
