use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::{Instant, sleep_until};

use super::Hold;

/// Redeliveries that wait for their time.
///
/// The task that waits owns the redelivery, so one that is pending when its runtime ends goes with
/// the runtime; the list here only finds it.
#[derive(Default)]
pub(super) struct Timers {
    pending: Mutex<Vec<Pending>>,
}

struct Pending {
    deadline: Instant,
    redelivery: Weak<dyn Fire>,
}

/// A redelivery until it runs.
struct Redelivery<F>(Mutex<Option<F>>);

trait Fire: Send + Sync {
    /// Runs the redelivery unless it ran already; returns once it has.
    fn fire(&self);
}

impl<F: FnOnce() + Send> Fire for Redelivery<F> {
    fn fire(&self) {
        // Held while it runs, so whoever comes second returns after it was counted.
        let mut redelivery = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(redeliver) = redelivery.take() {
            redeliver();
        }
    }
}

impl Timers {
    pub(super) fn schedule<F>(&self, delay: Duration, redeliver: F)
    where
        F: FnOnce() + Send + 'static,
    {
        let deadline = Instant::now().checked_add(delay);
        let redelivery = Arc::new(Redelivery(Mutex::new(Some(redeliver))));
        if let Some(deadline) = deadline {
            let found: Arc<dyn Fire> = redelivery.clone();
            let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
            pending.retain(|pending| pending.redelivery.strong_count() > 0);
            pending.push(Pending {
                deadline,
                redelivery: Arc::downgrade(&found),
            });
        }
        Handle::current().spawn(async move {
            match deadline {
                Some(deadline) => sleep_until(deadline).await,
                None => std::future::pending().await,
            }
            redelivery.fire();
        });
    }

    /// Runs every redelivery whose time has come, in the order of their times.
    pub(super) fn fire_due(&self) {
        let now = Instant::now();
        let mut due = Vec::new();
        self.pending
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .retain(|pending| {
                if pending.deadline > now {
                    return pending.redelivery.strong_count() > 0;
                }
                let redelivery = pending.redelivery.upgrade();
                due.extend(redelivery.map(|redelivery| (pending.deadline, redelivery)));
                false
            });
        due.sort_by_key(|(deadline, _)| *deadline);
        for (_, redelivery) in due {
            redelivery.fire();
        }
    }
}

/// Runs `redeliver` as soon as the caller has returned, counted meanwhile.
pub(super) fn at_once<F>(hold: Hold, redeliver: F)
where
    F: FnOnce() + Send + 'static,
{
    Handle::current().spawn(async move {
        redeliver();
        drop(hold);
    });
}
