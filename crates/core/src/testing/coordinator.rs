//! Counting what is under way.
//!
//! One signed counter stands for everything that can still cause something: each message in a
//! subscription's queue or held as a delivery, and each piece of the runtime's work in between.
//! Rest is exactly zero. It may be negative for a moment, where a transport makes a message visible
//! before it counts it, and a consumer on another thread is faster.
//!
//! Whoever changes the counter to zero, or spends a budget, notifies after the change; whoever
//! waits asks to be notified before it looks. So no change falls between the look and the wait.

use std::fmt;
use std::future::{Ready, ready};
use std::sync::Arc;
use std::sync::atomic::{AtomicIsize, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::Notify;

use super::TestError;
use super::timers::{self, Timers};

/// Tells a test when everything that one input causes has come to rest.
///
/// The harness installs one into every broker of the application it drives, see
/// [`TestableBroker::install_coordinator`](super::TestableBroker::install_coordinator). A clone is
/// the same coordinator.
///
/// # What a transport owes
///
/// - [`enqueued`](Self::enqueued) for every message put into a subscription's queue, before the
///   publish or the settlement that caused it returns; best before a consumer can see it.
/// - [`consumed`](Self::consumed) once for each of those when it leaves existence: settled, dropped
///   or taken apart, and also when its subscription is dropped with it still queued. The natural
///   place is the `Drop` of whatever holds the message.
/// - A message put back counts anew before the delivery it came from is released.
/// - A delayed redelivery goes through [`schedule_redelivery`](Self::schedule_redelivery); the
///   delivery it came from is released at once.
///
/// # Examples
///
/// ```
/// use std::collections::VecDeque;
/// use ruststream_core::testing::Coordinator;
///
/// struct Queue {
///     parcels: VecDeque<Parcel>,
///     coordinator: Coordinator,
/// }
///
/// struct Parcel(Coordinator);
///
/// impl Queue {
///     fn push(&mut self) {
///         self.coordinator.enqueued();
///         self.parcels.push_back(Parcel(self.coordinator.clone()));
///     }
/// }
///
/// impl Drop for Parcel {
///     fn drop(&mut self) {
///         self.0.consumed();
///     }
/// }
/// ```
#[derive(Clone)]
pub struct Coordinator {
    shared: Arc<Shared>,
}

struct Shared {
    in_flight: AtomicIsize,
    processed: AtomicUsize,
    /// The count of processed deliveries at which some waiter's budget is spent.
    budget_spent_at: AtomicUsize,
    max_steps: usize,
    changed: Notify,
    timers: Timers,
}

impl Coordinator {
    #[doc(hidden)]
    #[must_use]
    pub fn new(max_steps: usize) -> Self {
        Self {
            shared: Arc::new(Shared {
                in_flight: AtomicIsize::new(0),
                processed: AtomicUsize::new(0),
                budget_spent_at: AtomicUsize::new(usize::MAX),
                max_steps,
                changed: Notify::new(),
                timers: Timers::default(),
            }),
        }
    }

    /// One message entered a subscription's queue.
    pub fn enqueued(&self) {
        self.shared.raise();
    }

    /// One such message left existence.
    pub fn consumed(&self) {
        let processed = self.shared.processed.fetch_add(1, Ordering::Relaxed) + 1;
        if processed >= self.shared.budget_spent_at.load(Ordering::Relaxed) {
            self.shared
                .budget_spent_at
                .store(usize::MAX, Ordering::Relaxed);
            self.shared.changed.notify_waiters();
        }
        self.shared.lower();
    }

    /// Runs `redeliver` once `delay` of the runtime's clock has passed, or when a test advances
    /// that clock so far.
    ///
    /// `redeliver` puts the message back into its queue and calls [`enqueued`](Self::enqueued) if
    /// it did. Until then the message is not under way: nothing waits for it. With no delay it
    /// belongs to the reaction that asked for it, and runs as soon as the caller has returned.
    ///
    /// # Panics
    ///
    /// Outside a Tokio runtime with time; enter the one the broker connected on.
    pub fn schedule_redelivery<F>(&self, delay: Duration, redeliver: F)
    where
        F: FnOnce() + Send + 'static,
    {
        if delay.is_zero() {
            timers::at_once(self.hold(), redeliver);
        } else {
            self.shared.timers.schedule(delay, redeliver);
        }
    }

    /// Counts a piece of work that is no delivery for as long as the guard lives.
    #[doc(hidden)]
    pub fn hold(&self) -> Hold {
        self.shared.raise();
        Hold {
            shared: Arc::clone(&self.shared),
        }
    }

    /// How much is under way, and how many deliveries ended so far.
    #[doc(hidden)]
    #[must_use]
    pub fn counts(&self) -> (isize, usize) {
        let in_flight = self.shared.in_flight.load(Ordering::Acquire);
        (in_flight, self.shared.processed.load(Ordering::Relaxed))
    }

    /// Runs every scheduled redelivery whose time has come and leaves the others.
    #[doc(hidden)]
    pub fn fire_due_timers(&self) -> Ready<()> {
        self.shared.timers.fire_due();
        ready(())
    }

    /// Waits for rest; resolves on its first poll where that is reached already.
    ///
    /// # Errors
    ///
    /// [`TestError::NotQuiescent`] once the step budget was spent since this wait began.
    #[doc(hidden)]
    pub async fn drive(&self) -> Result<(), TestError> {
        let shared = &*self.shared;
        let start = shared.processed.load(Ordering::Relaxed);
        let spent_at = start.saturating_add(shared.max_steps);
        loop {
            let changed = shared.changed.notified();
            // Anew in each turn: who found a budget spent forgot the others'. A delivery that ends at
            // this very moment may miss the mark; the next one, or rest, does not.
            shared
                .budget_spent_at
                .fetch_min(spent_at, Ordering::Relaxed);
            if shared.in_flight.load(Ordering::Acquire) == 0 {
                return Ok(());
            }
            let processed = shared.processed.load(Ordering::Relaxed);
            if processed >= spent_at {
                return Err(TestError::NotQuiescent {
                    processed: processed - start,
                });
            }
            changed.await;
        }
    }
}

impl Shared {
    fn raise(&self) {
        if self.in_flight.fetch_add(1, Ordering::AcqRel) == -1 {
            self.changed.notify_waiters();
        }
    }

    fn lower(&self) {
        // Release, so that rest is seen together with everything done before it.
        if self.in_flight.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.changed.notify_waiters();
        }
    }
}

impl fmt::Debug for Coordinator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Coordinator")
            .field("in_flight", &self.shared.in_flight.load(Ordering::Relaxed))
            .field("processed", &self.shared.processed.load(Ordering::Relaxed))
            .finish_non_exhaustive()
    }
}

/// Work under way that is no delivery: a handler's call, a copy being published.
#[doc(hidden)]
#[derive(Debug)]
#[must_use = "the work is counted for as long as the guard lives"]
pub struct Hold {
    shared: Arc<Shared>,
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.shared.lower();
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}
