//! A deadline in real time, whatever the runtime's clock does.
//!
//! A paused clock moves when the runtime is idle, so no timer of the runtime can say that nothing
//! happens. One thread for the process waits for the earliest deadline and wakes whose it is. It is
//! told of a new deadline only where that comes before the one it waits for, so a wait that ends in
//! time costs a lock at its begin and one at its end.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Once, PoisonError};
use std::task::{Context, Poll};
use std::thread;
use std::time::{Duration, Instant};

use futures_util::task::AtomicWaker;

/// Resolves when its time has come.
#[derive(Debug)]
pub(crate) struct Alarm(Arc<Bell>);

#[derive(Debug, Default)]
struct Bell {
    rung: AtomicBool,
    waker: AtomicWaker,
}

static WATCH: Watch = Watch {
    set: Mutex::new(Set {
        bells: Vec::new(),
        awaited: None,
    }),
    sooner: Condvar::new(),
};
static STARTED: Once = Once::new();

struct Watch {
    set: Mutex<Set>,
    sooner: Condvar,
}

struct Set {
    bells: Vec<(Instant, Arc<Bell>)>,
    /// What the thread waits for.
    awaited: Option<Instant>,
}

impl Alarm {
    /// Rings in `time`; never, where that is beyond what a clock can say.
    pub(crate) fn after(time: Duration) -> Self {
        let bell = Arc::<Bell>::default();
        if let Some(at) = Instant::now().checked_add(time) {
            STARTED.call_once(|| {
                // Without the thread no alarm ever rings, and tests are none the worse for it.
                let started = thread::Builder::new().name("test alarm".to_owned());
                drop(started.spawn(|| WATCH.run()));
            });
            let mut set = WATCH.set();
            set.bells.push((at, Arc::clone(&bell)));
            if set.awaited.is_none_or(|awaited| at < awaited) {
                WATCH.sooner.notify_one();
            }
        }
        Self(bell)
    }
}

impl Watch {
    fn set(&self) -> MutexGuard<'_, Set> {
        self.set.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self) {
        let mut set = self.set();
        loop {
            let now = Instant::now();
            for (_, bell) in set.bells.extract_if(.., |(at, _)| *at <= now) {
                bell.rung.store(true, Ordering::SeqCst);
                bell.waker.wake();
            }
            set.awaited = set.bells.iter().map(|(at, _)| *at).min();
            set = match set.awaited {
                None => self
                    .sooner
                    .wait(set)
                    .unwrap_or_else(PoisonError::into_inner),
                Some(at) => {
                    let waited = self.sooner.wait_timeout(set, at - now);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }
}

impl Future for Alarm {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        self.0.waker.register(cx.waker());
        if self.0.rung.load(Ordering::SeqCst) {
            return Poll::Ready(());
        }
        Poll::Pending
    }
}

impl Drop for Alarm {
    fn drop(&mut self) {
        WATCH
            .set()
            .bells
            .retain(|(_, bell)| !Arc::ptr_eq(bell, &self.0));
    }
}
