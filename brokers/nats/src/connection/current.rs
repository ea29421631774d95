//! Which session is the current one.

use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;

use super::session::Session;
use super::shutdown::Totals;

/// The sessions of a connection: nearly always the first one, which is reached without a lock.
pub(super) struct Sessions {
    first: Session,
    has_later: AtomicBool,
    later: Mutex<Option<Arc<Session>>>,
    /// What the sessions before the current one counted.
    past: Mutex<Totals>,
    life: watch::Sender<Life>,
}

/// How far the connection has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Life {
    /// The number of the current session.
    pub(super) session: u64,
    /// Nothing follows the current session.
    pub(super) over: bool,
}

impl Sessions {
    pub(super) fn new(first: Session) -> Self {
        let life = Life {
            session: first.number(),
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

    /// Makes `session` the current one.
    pub(super) fn succeed(&self, session: Session) {
        let number = session.number();
        let ended = Totals::of(&self.current());
        {
            let mut past = self.past.lock().unwrap_or_else(PoisonError::into_inner);
            *past = *past + ended;
        }
        *self.later.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(session));
        self.has_later.store(true, Ordering::Release);
        self.life.send_modify(|life| life.session = number);
    }

    /// What all sessions counted.
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

/// A session, for as long as it is worked with.
pub(crate) enum Current<'a> {
    First(&'a Session),
    Later(Arc<Session>),
}

impl Deref for Current<'_> {
    type Target = Session;

    #[inline]
    fn deref(&self) -> &Session {
        match self {
            Self::First(session) => session,
            Self::Later(session) => session,
        }
    }
}
