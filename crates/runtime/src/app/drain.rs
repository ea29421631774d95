//! Waiting for what is in flight, and aborting what outlasts the waiting (RUN-075).

use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::{Future, pending};
use std::pin::pin;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::task::{AbortHandle, JoinError};

use super::force::{Cut, Force};
use super::running::{RunningApp, SubscriptionLoop};

/// How long a stop waits for what it aborted. A body that blocks its thread cannot be aborted, and
/// must not keep the process from ending.
const ABORT_GRACE: Duration = Duration::from_secs(5);

/// How long a drain may take before whoever watches the service is told what it waits for.
const TOLD_AFTER: Duration = Duration::from_secs(5);

/// Waits until every loop settled what it took, or aborts them. The error is that of the first loop
/// that panicked, in the order they were started.
pub(crate) async fn drain_loops(app: &mut RunningApp, force: &mut Force<'_>) -> Option<JoinError> {
    tracing::debug!(target: "ruststream::lifecycle", "draining in-flight handlers");
    let working = Working::of(&app.loops);
    let mut panicked = None;
    let drained = telling(join(&mut app.loops, &mut panicked), TOLD_AFTER, || {
        tracing::warn!(
            target: "ruststream::lifecycle",
            subscriptions = %working.names(),
            "still waiting for in-flight handlers"
        );
    });
    if let Err(cut) = force.wait_for(drained, app.shutdown_timeout).await {
        let subscriptions = working.names();
        match cut {
            Cut::Expired => tracing::warn!(
                target: "ruststream::lifecycle",
                subscriptions = %subscriptions,
                "graceful shutdown timed out; aborting in-flight handlers"
            ),
            Cut::Forced => tracing::warn!(
                target: "ruststream::lifecycle",
                subscriptions = %subscriptions,
                "a second shutdown signal was received; aborting in-flight handlers"
            ),
        }
        working.abort();
        let aborted = async {
            join(&mut app.loops, &mut panicked).await;
            app.service.workers().wait().await;
        };
        // Whatever outlasts the grace is beyond reach; the brokers close nevertheless.
        let _ = tokio::time::timeout(ABORT_GRACE, aborted).await;
    }
    panicked
}

/// The loops of a service, seen while they are joined.
struct Working(Vec<(String, AbortHandle)>);

impl Working {
    fn of(loops: &VecDeque<SubscriptionLoop>) -> Self {
        let seen = |one: &SubscriptionLoop| (one.name.clone(), one.task.abort_handle());
        Self(loops.iter().map(seen).collect())
    }

    /// The subscriptions that have not ended.
    fn names(&self) -> String {
        let names: Vec<&str> = self
            .0
            .iter()
            .filter(|(_, task)| !task.is_finished())
            .map(|(name, _)| name.as_str())
            .collect();
        names.join(", ")
    }

    fn abort(&self) {
        for (_, task) in &self.0 {
            task.abort();
        }
    }
}

/// Awaits `phase`, and calls `tell` once if it outlasts `patience`.
async fn telling<F: Future>(phase: F, patience: Duration, tell: impl FnOnce()) -> F::Output {
    let mut phase = pin!(phase);
    tokio::select! {
        biased;
        done = &mut phase => return done,
        () = passed(patience) => tell(),
    }
    phase.await
}

/// Resolves after `time`, which a thread measures: a stop without a bound must not need the timers
/// of the async runtime. The thread ends at once where this is dropped.
async fn passed(time: Duration) {
    let (awaited, given_up) = mpsc::channel::<Infallible>();
    let (over, is_over) = oneshot::channel();
    let measured = thread::Builder::new()
        .name("ruststream-stop".to_owned())
        .spawn(move || {
            if given_up.recv_timeout(time) == Err(RecvTimeoutError::Timeout) {
                let _ = over.send(());
            }
        });
    // Without a thread nobody is told, and the stop goes on all the same.
    if measured.is_err() || is_over.await.is_err() {
        pending::<()>().await;
    }
    drop(awaited);
}

/// Joins the loops from the first on. Dropped and called again it goes on where it was.
async fn join(loops: &mut VecDeque<SubscriptionLoop>, panicked: &mut Option<JoinError>) {
    while let Some(first) = loops.front_mut() {
        let joined = (&mut first.task).await;
        loops.pop_front();
        if let Err(error) = joined
            && error.is_panic()
        {
            panicked.get_or_insert(error);
        }
    }
}

pub(crate) async fn drain_continuations(app: &RunningApp, force: &mut Force<'_>) {
    tracing::debug!(target: "ruststream::lifecycle", "draining post-settle continuations");
    let (continuations, observed) = (app.service.continuations(), app.service.observed());
    let gone = async {
        continuations.wait().await;
        observed.idle().await;
    };
    let gone = telling(gone, TOLD_AFTER, || {
        tracing::warn!(
            target: "ruststream::lifecycle",
            continuations = continuations.len(),
            "still waiting for in-flight continuations"
        );
    });
    let cut = match force.wait_for(gone, app.shutdown_timeout).await {
        Ok(()) => return,
        Err(cut) => cut,
    };
    let left = continuations.len();
    match cut {
        Cut::Expired => tracing::warn!(
            target: "ruststream::lifecycle",
            continuations = left,
            "graceful shutdown timed out; abandoning in-flight continuations"
        ),
        Cut::Forced => tracing::warn!(
            target: "ruststream::lifecycle",
            continuations = left,
            "a second shutdown signal was received; abandoning in-flight continuations"
        ),
    }
    let _ = tokio::time::timeout(ABORT_GRACE, observed.abandon()).await;
}

#[cfg(test)]
mod tests {
    use std::future::ready;

    use tokio::task::yield_now;
    use tokio::time::Instant;

    use super::*;
    use crate::app::RustStreamError;
    use crate::app::shutdown::stop;
    use crate::app::testkit::{Depot, Journal, breaking, depots, mount, noting, stuck};
    use crate::layers::log_capture::LogCapture;

    const BOUND: Duration = Duration::from_secs(20);

    // RUN-073, RUN-075
    #[tokio::test]
    async fn without_a_bound_a_stop_waits_for_the_delivery_in_flight() {
        let journal = Journal::default();
        let (finish, handled) = oneshot::channel::<()>();
        let app = depots().with_broker(Depot::new("a", &journal), |scope| {
            let journal = journal.clone();
            mount(scope, "parcels", move |_service| {
                Ok(Box::pin(async move {
                    handled.await.unwrap();
                    journal.note("handled");
                }))
            });
        });
        let running = app.start().await.unwrap();
        let stopping = tokio::spawn(running.shutdown());
        yield_now().await;
        assert!(!stopping.is_finished());

        finish.send(()).unwrap();

        stopping.await.unwrap().unwrap();
        assert_eq!(journal.take()[2..], ["handled", "shutdown a"]);
    }

    // RUN-075, RUN-071, RUN-480, trap 40
    #[tokio::test(start_paused = true)]
    async fn one_bound_for_all_loops_and_what_it_aborts_is_gone_before_the_brokers_close() {
        let journal = Journal::default();
        let app =
            depots()
                .shutdown_timeout(BOUND)
                .with_broker(Depot::new("a", &journal), |scope| {
                    mount(scope, "parcels", stuck(&journal, "parcels aborted"));
                    mount(scope, "labels", noting(&journal, "labels end"));
                    mount(scope, "scans", stuck(&journal, "scans aborted"));
                });
        let running = app.start().await.unwrap();
        let probe = running.health();
        yield_now().await;

        let (log, begun) = (LogCapture::start(), Instant::now());
        running.shutdown().await.unwrap();

        assert_eq!(begun.elapsed(), BOUND);
        assert_eq!(
            journal.take()[4..],
            [
                "labels end",
                "parcels aborted",
                "scans aborted",
                "shutdown a"
            ]
        );
        assert_eq!(
            (probe.subscriptions().active, probe.subscriptions().started),
            (0, 3)
        );
        let warned =
            |text: &str| format!("WARN ruststream::lifecycle: {text} subscriptions=parcels, scans");
        let log = log.take();
        assert!(log.contains(&warned(
            "graceful shutdown timed out; aborting in-flight handlers"
        )));
    }

    // RUN-075, RUN-480
    #[tokio::test(start_paused = true)]
    async fn continuations_have_a_bound_of_their_own_and_are_abandoned_after_it() {
        let journal = Journal::default();
        let app =
            depots()
                .shutdown_timeout(BOUND)
                .with_broker(Depot::new("a", &journal), |scope| {
                    mount(scope, "parcels", stuck(&journal, "aborted"));
                });
        let running = app.start().await.unwrap();
        running.service.continuations().spawn(pending::<()>());
        yield_now().await;

        let (log, begun) = (LogCapture::start(), Instant::now());
        running.shutdown().await.unwrap();

        assert_eq!(begun.elapsed(), 2 * BOUND);
        let log = log.take();
        let warning = "WARN ruststream::lifecycle: graceful shutdown timed out; abandoning \
                       in-flight continuations continuations=1";
        assert!(log.iter().any(|line| line == warning));
        let debug = |text: &str| format!("DEBUG ruststream::lifecycle: {text}");
        assert!(log.contains(&debug("draining in-flight handlers")));
        assert!(log.contains(&debug("draining post-settle continuations")));
    }

    // RUN-480: the phase ends by being told of, so it was; and without timers.
    #[test]
    fn a_phase_that_outlasts_patience_is_told_of_once() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        let (tell, told) = oneshot::channel();

        let ended = runtime.block_on(telling(told, Duration::from_millis(1), || {
            tell.send("told").unwrap();
        }));

        assert_eq!(ended, Ok("told"));
        let at_once = telling(ready(1), Duration::ZERO, || panic!("nothing to tell"));
        assert_eq!(runtime.block_on(at_once), 1);
    }

    // RUN-077, RUN-070 step 5
    #[tokio::test(start_paused = true)]
    async fn a_copy_that_waits_out_its_delay_leaves_before_the_brokers_close() {
        let journal = Journal::default();
        let app = depots().register_broker(Depot::new("a", &journal));
        let running = app.start().await.unwrap();
        let copies = journal.clone();
        running.service.continuations().spawn(async move {
            tokio::time::sleep(Duration::from_hours(1)).await;
            copies.note("copy");
        });

        running.shutdown().await.unwrap();

        assert_eq!(journal.take(), ["connect a", "copy", "shutdown a"]);
    }

    // RUN-075
    #[tokio::test(start_paused = true)]
    async fn the_workers_of_an_aborted_loop_are_waited_for() {
        let journal = Journal::default();
        let app =
            depots()
                .shutdown_timeout(BOUND)
                .with_broker(Depot::new("a", &journal), |scope| {
                    mount(scope, "parcels", stuck(&journal, "loop aborted"));
                });
        let running = app.start().await.unwrap();
        let (worker, journaled) = (running.service.workers().count(), journal.clone());
        let mut stopping = pin!(running.shutdown());
        let begun = Instant::now();
        tokio::select! {
            _ = &mut stopping => panic!("did not wait for the worker"),
            () = tokio::time::sleep(BOUND + Duration::from_secs(1)) => {}
        }
        journaled.note("worker gone");
        drop(worker);
        stopping.await.unwrap();
        assert_eq!(begun.elapsed(), BOUND + Duration::from_secs(1));
        assert_eq!(
            journal.take()[2..],
            ["loop aborted", "worker gone", "shutdown a"]
        );
    }

    // RUN-075
    #[tokio::test(start_paused = true)]
    async fn a_worker_that_cannot_be_aborted_does_not_keep_the_service_from_ending() {
        let journal = Journal::default();
        let app =
            depots()
                .shutdown_timeout(BOUND)
                .with_broker(Depot::new("a", &journal), |scope| {
                    mount(scope, "parcels", stuck(&journal, "loop aborted"));
                });
        let running = app.start().await.unwrap();
        let _blocked = running.service.workers().count();

        let begun = Instant::now();
        running.shutdown().await.unwrap();

        assert_eq!(begun.elapsed(), BOUND + ABORT_GRACE);
        assert_eq!(journal.take().last().unwrap(), "shutdown a");
    }

    // The second signal of `run`.
    #[tokio::test]
    async fn force_aborts_handlers_and_abandons_continuations_at_once_and_is_no_error() {
        let journal = Journal::default();
        let app = depots()
            .on_shutdown(journal.hook("on_shutdown"))
            .after_shutdown(journal.hook("after_shutdown"))
            .with_broker(Depot::new("a", &journal), |scope| {
                mount(scope, "parcels", stuck(&journal, "aborted"));
            });
        let running = app.start().await.unwrap();
        running.service.continuations().spawn(pending::<()>());
        yield_now().await;

        let log = LogCapture::start();
        stop(running, &mut Force::on(pin!(ready(()))))
            .await
            .unwrap();

        assert_eq!(
            journal.take()[2..],
            ["on_shutdown", "aborted", "shutdown a", "after_shutdown"]
        );
        let log = log.take();
        let warned = |what: &str| {
            log.iter()
                .any(|line| line.starts_with("WARN") && line.contains(what))
        };
        assert!(warned(
            "a second shutdown signal was received; aborting in-flight handlers subscriptions=parcels"
        ));
        assert!(warned(
            "a second shutdown signal was received; abandoning in-flight continuations continuations=1"
        ));
    }

    // RUN-071
    #[tokio::test]
    async fn a_loop_that_panicked_is_the_result_and_does_not_shorten_the_drain_of_others() {
        let journal = Journal::default();
        let app = depots().with_broker(Depot::new("a", &journal).refusing("shut down"), |scope| {
            mount(scope, "parcels", |_| {
                Ok(Box::pin(async {
                    std::panic::resume_unwind(Box::new("first"))
                }))
            });
            let journal = journal.clone();
            mount(scope, "labels", move |service| {
                Ok(Box::pin(async move {
                    service.stop().raised().await;
                    yield_now().await;
                    journal.note("labels end");
                }))
            });
        });
        let running = app.start().await.unwrap();
        running.service.fail("labels", "broken");

        let RustStreamError::Join(error) = running.shutdown().await.unwrap_err() else {
            panic!("not a join error");
        };

        assert_eq!(error.into_panic().downcast_ref(), Some(&"first"));
        assert_eq!(journal.take()[3..], ["labels end", "shutdown a"]);
    }

    // RUN-071
    #[tokio::test]
    async fn with_a_bound_set_a_loop_that_panicked_is_not_the_result() {
        let journal = Journal::default();
        let app =
            depots()
                .shutdown_timeout(BOUND)
                .with_broker(Depot::new("a", &journal), |scope| {
                    mount(scope, "parcels", breaking);
                });
        let running = app.start().await.unwrap();

        running.shutdown().await.unwrap();
    }

    // RUN-070 step 2: the hooks have no bound, they are the author's.
    #[tokio::test(start_paused = true)]
    async fn the_bound_begins_after_the_on_shutdown_hooks() {
        let journal = Journal::default();
        let app = depots()
            .shutdown_timeout(BOUND)
            .on_shutdown(async |_| {
                tokio::time::sleep(3 * BOUND).await;
                Ok::<_, Infallible>(())
            })
            .with_broker(Depot::new("a", &journal), |scope| {
                mount(scope, "parcels", stuck(&journal, "aborted"));
            });
        let running = app.start().await.unwrap();

        let begun = Instant::now();
        running.shutdown().await.unwrap();

        assert_eq!(begun.elapsed(), 4 * BOUND);
    }
}
