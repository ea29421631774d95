//! Whether a service runs, seen from anywhere.

use std::fmt;
use std::future;
use std::sync::{Arc, Weak};

use tokio::sync::watch;

use super::error::RustStreamError;

/// What a service is doing.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HealthState {
    /// Its subscriptions are being served.
    Running,
    /// An orderly stop is under way.
    ShuttingDown,
    /// It stopped without an error.
    Stopped,
    /// It failed.
    Failed {
        /// The failure: `<subscription>: <why>` for a dispatch failure, else the error's text.
        reason: String,
    },
}

impl HealthState {
    /// Whether the service is running; true for [`Running`](Self::Running) alone.
    #[must_use]
    pub fn is_running(&self) -> bool {
        matches!(self, Self::Running)
    }
}

/// How many subscriptions a service started, and how many of them are still served.
///
/// A subscription counts once, whatever its number of workers or threads.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SubscriptionCount {
    /// Those whose loop runs.
    pub active: usize,
    /// Those whose loop was ever started.
    pub started: usize,
}

/// What a subscription whose stream ends does to its service.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SubscriptionEnd {
    /// It logs the end; the service keeps running, even without any other subscription.
    #[default]
    Log,
    /// It stops the whole service and reports the end as the reason.
    FailFast,
}

#[derive(Debug, Clone)]
struct Seen {
    state: HealthState,
    subscriptions: SubscriptionCount,
}

/// A view of a service's health that outlives the service, for a readiness endpoint or a watchdog.
///
/// Probes are cheap to clone and can be asked from any task of any runtime.
///
/// ```
/// use ruststream_runtime::HealthProbe;
///
/// async fn report(mut probe: HealthProbe) {
///     while probe.is_running() {
///         println!("{} subscriptions served", probe.subscriptions().active);
///         probe.changed().await;
///     }
/// }
/// ```
#[derive(Clone)]
pub struct HealthProbe {
    seen: watch::Receiver<Seen>,
}

impl HealthProbe {
    /// What the service is doing now; what it did last, once it is gone.
    #[must_use]
    pub fn state(&self) -> HealthState {
        self.seen.borrow().state.clone()
    }

    /// Whether the service is running.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.seen.borrow().state.is_running()
    }

    /// How many subscriptions were started and how many of them are served.
    #[must_use]
    pub fn subscriptions(&self) -> SubscriptionCount {
        self.seen.borrow().subscriptions
    }

    /// Waits until the state or the number of subscriptions changed since this probe last waited,
    /// or was made, and returns the state, which may be the same one.
    ///
    /// Changes in quick succession may be seen as one. Once no change can come any more, because
    /// the service ended or its [`RunningApp`](crate::RunningApp) was dropped, it waits for ever.
    ///
    /// Cancel safe: a change is never missed by dropping the future.
    pub async fn changed(&mut self) -> HealthState {
        match self.seen.changed().await {
            Ok(()) => self.seen.borrow_and_update().state.clone(),
            Err(_gone) => future::pending().await,
        }
    }
}

impl fmt::Debug for HealthProbe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seen = self.seen.borrow();
        f.debug_struct("HealthProbe")
            .field("state", &seen.state)
            .field("subscriptions", &seen.subscriptions)
            .finish()
    }
}

/// Where a service keeps its health.
///
/// Whoever holds the board is the service: once it is dropped no probe sees another change, even
/// though detached loops may still run and report.
#[derive(Debug)]
pub(crate) struct HealthBoard {
    seen: Arc<watch::Sender<Seen>>,
}

impl HealthBoard {
    /// The board of a service that is about to run.
    pub(crate) fn new() -> Self {
        let seen = Seen {
            state: HealthState::Running,
            subscriptions: SubscriptionCount::default(),
        };
        Self {
            seen: Arc::new(watch::Sender::new(seen)),
        }
    }

    pub(crate) fn probe(&self) -> HealthProbe {
        HealthProbe {
            seen: self.seen.subscribe(),
        }
    }

    /// What a dispatch loop reports through.
    pub(crate) fn reporter(&self) -> HealthReporter {
        HealthReporter {
            seen: Arc::downgrade(&self.seen),
        }
    }

    /// An orderly stop begins. A failure that came before it stays what probes see.
    pub(crate) fn shutting_down(&self) {
        transition(&self.seen, |state| match state {
            HealthState::Running => Some(HealthState::ShuttingDown),
            _ => None,
        });
    }

    /// The service ended. The first failure stays the one that probes see.
    pub(crate) fn finish(&self, result: Result<(), &RustStreamError>) {
        transition(&self.seen, |state| match (state, result) {
            (HealthState::Failed { .. }, _) => None,
            (_, Ok(())) => Some(HealthState::Stopped),
            (_, Err(RustStreamError::Dispatch(reason))) => Some(HealthState::Failed {
                reason: reason.clone(),
            }),
            (_, Err(error)) => Some(HealthState::Failed {
                reason: error.to_string(),
            }),
        });
    }
}

/// How dispatch loops reach the board of their service. Reports to a board that is gone are lost.
#[derive(Debug, Clone)]
pub(crate) struct HealthReporter {
    seen: Weak<watch::Sender<Seen>>,
}

impl HealthReporter {
    /// A subscription's loop starts; it is active until the returned guard is dropped, so also
    /// where the loop is aborted or panics.
    pub(crate) fn subscription_started(&self) -> ActiveSubscription {
        self.count(|subscriptions| {
            subscriptions.active += 1;
            subscriptions.started += 1;
        });
        ActiveSubscription {
            reporter: self.clone(),
        }
    }

    /// A dispatch failure tears the service down; `reason` is `<subscription>: <why>`. Only the
    /// first one is kept.
    pub(crate) fn fail(&self, reason: &str) {
        let Some(seen) = self.seen.upgrade() else {
            return;
        };
        transition(&seen, |state| match state {
            HealthState::Running | HealthState::ShuttingDown => Some(HealthState::Failed {
                reason: reason.to_owned(),
            }),
            HealthState::Stopped | HealthState::Failed { .. } => None,
        });
    }

    fn count(&self, change: impl FnOnce(&mut SubscriptionCount)) {
        if let Some(seen) = self.seen.upgrade() {
            seen.send_modify(|seen| change(&mut seen.subscriptions));
        }
    }
}

/// One subscription that is being served.
#[derive(Debug)]
pub(crate) struct ActiveSubscription {
    reporter: HealthReporter,
}

impl Drop for ActiveSubscription {
    fn drop(&mut self) {
        self.reporter
            .count(|subscriptions| subscriptions.active -= 1);
    }
}

/// Wakes the probes only where the state becomes another one.
fn transition(seen: &watch::Sender<Seen>, next: impl FnOnce(&HealthState) -> Option<HealthState>) {
    seen.send_if_modified(|seen| match next(&seen.state) {
        Some(state) => {
            seen.state = state;
            true
        }
        None => false,
    });
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use tokio::task;

    use super::*;

    fn failed(reason: &str) -> HealthState {
        HealthState::Failed {
            reason: reason.into(),
        }
    }

    fn dispatch(reason: &str) -> RustStreamError {
        RustStreamError::Dispatch(reason.into())
    }

    fn shutdown_error() -> RustStreamError {
        RustStreamError::Shutdown("still aliased".into())
    }

    // RUN-090
    #[test]
    fn only_running_is_running() {
        assert!(HealthState::Running.is_running());
        for state in [
            HealthState::ShuttingDown,
            HealthState::Stopped,
            failed("parcels: x"),
        ] {
            assert!(!state.is_running());
        }
    }

    // RUN-094
    #[test]
    fn a_stream_end_is_logged_by_default() {
        assert_eq!(SubscriptionEnd::default(), SubscriptionEnd::Log);
    }

    // RUN-092
    #[test]
    fn an_orderly_stop_passes_through_shutting_down_to_stopped_or_failed() {
        let board = HealthBoard::new();
        let probe = board.probe();
        assert!(probe.is_running());
        board.shutting_down();
        assert_eq!(probe.state(), HealthState::ShuttingDown);
        board.finish(Ok(()));
        assert_eq!(probe.state(), HealthState::Stopped);

        let board = HealthBoard::new();
        board.shutting_down();
        board.finish(Err(&shutdown_error()));
        assert_eq!(
            board.probe().state(),
            failed("broker shutdown failed: still aliased")
        );
    }

    // RUN-092, trap 42
    #[test]
    fn a_probe_made_after_the_failure_sees_it() {
        let board = HealthBoard::new();
        board.reporter().fail("parcels: decode failed: eof");

        assert_eq!(board.probe().state(), failed("parcels: decode failed: eof"));
    }

    // RUN-072, RUN-092
    #[test]
    fn the_first_failure_survives_later_ones_and_the_teardown() {
        let board = HealthBoard::new();
        let probe = board.probe();

        board.reporter().fail("parcels: first");
        board.reporter().fail("labels: second");
        board.shutting_down();
        assert_eq!(probe.state(), failed("parcels: first"));
        board.finish(Err(&shutdown_error()));
        assert_eq!(probe.state(), failed("parcels: first"));
    }

    // RUN-092
    #[test]
    fn a_failure_during_the_stop_is_seen_without_the_prefix_of_its_error() {
        let board = HealthBoard::new();
        board.shutting_down();
        board.reporter().fail("parcels: late");
        assert_eq!(board.probe().state(), failed("parcels: late"));

        let board = HealthBoard::new();
        board.finish(Err(&dispatch("parcels: why")));
        assert_eq!(board.probe().state(), failed("parcels: why"));
    }

    // RUN-093
    #[test]
    fn a_subscription_is_active_until_its_loop_ends_however_it_ends() {
        let board = HealthBoard::new();
        let (reporter, probe) = (board.reporter(), board.probe());
        let first = reporter.subscription_started();
        let second = reporter.subscription_started();
        assert_eq!(
            probe.subscriptions(),
            SubscriptionCount {
                active: 2,
                started: 2
            }
        );

        drop(first);
        assert_eq!(
            probe.subscriptions(),
            SubscriptionCount {
                active: 1,
                started: 2
            }
        );
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(move || {
            let _active = second;
            std::panic::resume_unwind(Box::new("loop"));
        }));
        assert!(panicked.is_err());
        assert_eq!(
            probe.subscriptions(),
            SubscriptionCount {
                active: 0,
                started: 2
            }
        );
    }

    // RUN-091, trap 42
    #[tokio::test]
    async fn changed_wakes_for_a_count_change_with_the_state_unchanged() {
        let board = HealthBoard::new();
        let mut probe = board.probe();
        let waiting = task::spawn(async move { probe.changed().await });
        task::yield_now().await;

        let _active = board.reporter().subscription_started();

        assert_eq!(waiting.await.unwrap(), HealthState::Running);
    }

    // RUN-091
    #[test]
    fn changes_between_two_waits_are_seen_once_and_never_missed() {
        let board = HealthBoard::new();
        let mut probe = board.probe();
        board.shutting_down();
        board.finish(Ok(()));

        assert_eq!(probe.changed().now_or_never(), Some(HealthState::Stopped));
        assert_eq!(probe.changed().now_or_never(), None);
    }

    // RUN-091
    #[test]
    fn a_wait_that_is_dropped_misses_nothing() {
        let board = HealthBoard::new();
        let mut probe = board.probe();
        assert_eq!(probe.changed().now_or_never(), None);
        board.shutting_down();

        assert_eq!(
            probe.changed().now_or_never(),
            Some(HealthState::ShuttingDown)
        );
    }

    // RUN-091
    #[test]
    fn a_transition_that_changes_nothing_wakes_nobody() {
        let board = HealthBoard::new();
        board.reporter().fail("parcels: first");
        let mut probe = board.probe();
        board.reporter().fail("labels: second");
        board.shutting_down();

        assert_eq!(probe.changed().now_or_never(), None);
    }

    // RUN-091, trap 42
    #[tokio::test]
    async fn changed_parks_once_the_service_is_gone_and_the_last_state_stays() {
        let board = HealthBoard::new();
        let (reporter, mut probe) = (board.reporter(), board.probe());
        let active = reporter.subscription_started();
        board.finish(Ok(()));
        drop(board);

        // What changed before the end is still told, then nothing any more.
        assert_eq!(probe.changed().await, HealthState::Stopped);
        drop(active);
        reporter.fail("parcels: after the end");
        assert_eq!(probe.changed().now_or_never(), None);
        assert_eq!(probe.state(), HealthState::Stopped);
        assert_eq!(
            probe.subscriptions(),
            SubscriptionCount {
                active: 1,
                started: 1
            }
        );
    }

    // RUN-091, RUN-034
    #[tokio::test]
    async fn a_waiter_parks_without_spinning_when_the_service_is_detached() {
        let board = HealthBoard::new();
        let mut probe = board.probe();
        let waiting = task::spawn(async move { probe.changed().await });
        task::yield_now().await;

        drop(board);
        task::yield_now().await;

        assert!(!waiting.is_finished());
        waiting.abort();
    }

    // RUN-091
    #[test]
    fn a_probe_is_cheap_to_hand_around() {
        fn holds<T: Clone + fmt::Debug + Send + Sync + 'static>() {}
        holds::<HealthProbe>();

        let board = HealthBoard::new();
        let shown = format!("{:?}", board.probe());
        assert!(
            shown.starts_with("HealthProbe { state: Running, subscriptions: "),
            "{shown}"
        );
    }
}
