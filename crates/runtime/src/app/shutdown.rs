//! The stop of a service (RUN-070), and the unwinding of a start that failed (RUN-053).
//!
//! The order carries the promises: loops end before continuations are waited for, because loops
//! make them; continuations before the brokers close, because they publish.

use tokio::task::JoinError;

use super::drain::{drain_continuations, drain_loops};
use super::error::RustStreamError;
use super::force::Force;
use super::registration::BoxError;
use super::running::RunningApp;

/// Stops a running service.
pub(crate) async fn stop(app: RunningApp, force: &mut Force<'_>) -> Result<(), RustStreamError> {
    let joins_tell = app.shutdown_timeout.is_none();
    stop_telling(app, force, joins_tell).await
}

/// As [`stop`]; `joins_tell` says whether a loop that panicked is the result.
pub(crate) async fn stop_telling(
    mut app: RunningApp,
    force: &mut Force<'_>,
    joins_tell: bool,
) -> Result<(), RustStreamError> {
    app.stops_when_dropped = true;
    app.service.begin_stopping();
    app.health.shutting_down();
    let teardown = std::mem::take(app.teardown());
    for hook in teardown.on_shutdown {
        match force.wait_for(hook(), None).await {
            Ok(ended) => hook_ended("on_shutdown", ended),
            Err(_demanded) => tracing::warn!(
                target: "ruststream::lifecycle",
                "a second shutdown signal was received; abandoning an on_shutdown hook"
            ),
        }
    }

    app.service.stop().raise();
    let join_error = drain_loops(&mut app, force).await;
    drain_continuations(&app, force).await;
    let shutdown_error = close_brokers(&app, &ORDERLY).await;
    for hook in teardown.after_shutdown {
        hook_ended("after_shutdown", hook().await);
    }

    tracing::info!(target: "ruststream::lifecycle", "service stopped");
    let result = result(&app, join_error.filter(|_| joins_tell), shutdown_error);
    app.health.finish(result.as_ref().copied());
    result
}

/// Takes down what a start that failed had brought up. The error of the start is what the caller
/// gets, so everything met here is logged only.
pub(crate) async fn unwind(mut app: RunningApp, force: &mut Force<'_>) {
    app.service.begin_stopping();
    app.service.stop().raise();
    if let Some(error) = drain_loops(&mut app, force).await {
        tracing::warn!(
            target: "ruststream::lifecycle",
            error = %error,
            "draining dispatch tasks failed during the startup unwind"
        );
    }
    drain_continuations(&app, force).await;
    close_brokers(&app, &UNWINDING).await;
}

/// RUN-071.
fn result(
    app: &RunningApp,
    join_error: Option<JoinError>,
    shutdown_error: Option<BoxError>,
) -> Result<(), RustStreamError> {
    if let Some(error) = join_error {
        return Err(RustStreamError::Join(error));
    }
    if let Some(error) = shutdown_error {
        return Err(RustStreamError::Shutdown(error));
    }
    match app.service.failure() {
        Some(reason) => Err(RustStreamError::Dispatch(reason.to_owned())),
        None => Ok(()),
    }
}

/// A hook that failed changes nothing: it is logged, and the next one runs.
fn hook_ended(phase: &str, ended: Result<(), BoxError>) {
    if let Err(error) = ended {
        tracing::warn!(target: "ruststream::lifecycle", error = %error, "{phase} hook failed");
    }
}

/// What closing a broker is logged as.
struct Closing {
    closed: &'static str,
    failed: &'static str,
}

const ORDERLY: Closing = Closing {
    closed: "broker shut down",
    failed: "broker shutdown failed",
};

const UNWINDING: Closing = Closing {
    closed: "broker shut down after a startup failure",
    failed: "broker shutdown failed during the startup unwind",
};

/// Shuts every broker down, the one registered last first, and returns the first error.
async fn close_brokers(app: &RunningApp, closing: &Closing) -> Option<BoxError> {
    let mut first = None;
    for broker in app.take_connections().into_iter().rev() {
        let name = broker.name().to_owned();
        match broker.shutdown().await {
            Ok(()) => tracing::debug!(
                target: "ruststream::lifecycle", broker = name.as_str(), "{}", closing.closed
            ),
            Err(error) => {
                tracing::warn!(
                    target: "ruststream::lifecycle",
                    broker = name.as_str(),
                    error = %error,
                    "{}",
                    closing.failed
                );
                first.get_or_insert(error);
            }
        }
    }
    first
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use futures_util::FutureExt;
    use ruststream_core::Bindable;
    use tokio::sync::oneshot;

    use super::*;
    use crate::app::SubscriptionEnd;
    use crate::app::health::HealthState;
    use crate::app::testkit::{Depot, Gate, Journal, Refused, depots, idle, mount, noting};
    use crate::layers::log_capture::LogCapture;

    // RUN-070, RUN-092, trap 39
    #[tokio::test]
    async fn a_stop_goes_by_hooks_loops_continuations_brokers_in_reverse_and_hooks() {
        let journal = Journal::default();
        let late = journal.clone();
        let app = depots()
            .after_shutdown(journal.hook("after_shutdown 1"))
            .on_shutdown(journal.hook("on_shutdown 1"))
            .with_broker(Depot::new("a", &journal), |scope| {
                mount(scope, "parcels", |service| {
                    Ok(Box::pin(async move {
                        service.stop().raised().await;
                        late.note("loop ends");
                        service
                            .continuations()
                            .spawn(async move { late.note("continuation ends") });
                    }))
                });
            })
            .with_broker(Depot::new("b", &journal), |_| {})
            .register_broker(Depot::new("c", &journal))
            .on_shutdown(journal.hook("on_shutdown 2"))
            .after_shutdown(journal.hook("after_shutdown 2"));
        let running = app.start().await.unwrap();
        let probe = running.health();
        journal.take();

        running.shutdown().await.unwrap();

        assert_eq!(
            journal.take(),
            [
                "on_shutdown 1",
                "on_shutdown 2",
                "loop ends",
                "continuation ends",
                "shutdown c",
                "shutdown b",
                "shutdown a",
                "after_shutdown 1",
                "after_shutdown 2",
            ]
        );
        assert_eq!(probe.state(), HealthState::Stopped);
    }

    // RUN-070 steps 1 and 2, RUN-094, OBS-39, trap 41
    #[tokio::test]
    async fn a_stream_that_ends_while_on_shutdown_hooks_run_is_no_failure() {
        let journal = Journal::default();
        let (end, ends) = oneshot::channel();
        let (ended, seen) = oneshot::channel::<()>();
        let app = depots()
            .on_subscription_end(SubscriptionEnd::FailFast)
            .with_broker(Depot::new("a", &journal), |scope| {
                mount(scope, "parcels", |service| {
                    Ok(Box::pin(async move {
                        ends.await.unwrap();
                        service.stream_ended("parcels");
                        drop(ended);
                    }))
                });
            })
            .on_shutdown(async move |_| {
                end.send(()).unwrap();
                seen.await.unwrap_err();
                Ok::<_, Infallible>(())
            });
        let running = app.start().await.unwrap();
        let (probe, failing) = (running.health(), running.stopping());

        running.shutdown().await.unwrap();

        assert_eq!(probe.state(), HealthState::Stopped);
        assert_eq!(failing.now_or_never(), None);
    }

    // RUN-092: what a hook of the stop sees.
    #[tokio::test]
    async fn health_says_that_the_service_is_stopping_while_the_hooks_run() {
        let (tell, told) = oneshot::channel::<crate::app::HealthProbe>();
        let app = depots().on_shutdown(async move |_| {
            assert_eq!(told.await.unwrap().state(), HealthState::ShuttingDown);
            Ok::<_, Infallible>(())
        });
        let running = app.start().await.unwrap();
        tell.send(running.health()).unwrap();

        running.shutdown().await.unwrap();
    }

    // RUN-070 steps 2 and 7, RUN-071, RUN-480
    #[tokio::test]
    async fn a_failing_hook_is_logged_and_the_next_one_runs() {
        let journal = Journal::default();
        let app = depots()
            .on_shutdown(async |_| Err(Refused("close the gate")))
            .on_shutdown(journal.hook("on_shutdown"))
            .after_shutdown(async |_| Err(Refused("lock the door")))
            .after_shutdown(journal.hook("after_shutdown"));
        let running = app.start().await.unwrap();

        let log = LogCapture::start();
        running.shutdown().await.unwrap();

        assert_eq!(journal.take(), ["on_shutdown", "after_shutdown"]);
        let warnings: Vec<_> = log
            .take()
            .into_iter()
            .filter(|line| line.starts_with("WARN"))
            .collect();
        assert_eq!(
            warnings,
            [
                "WARN ruststream::lifecycle: on_shutdown hook failed \
                 error=the depot refuses to close the gate",
                "WARN ruststream::lifecycle: after_shutdown hook failed \
                 error=the depot refuses to lock the door",
            ]
        );
    }

    // RUN-071, RUN-070 step 6, RUN-480, trap 39
    #[tokio::test]
    async fn a_broker_that_fails_to_close_is_the_result_and_the_others_close() {
        let journal = Journal::default();
        let app = depots()
            .with_broker_labeled("a", Depot::new("a", &journal).refusing("shut down"), |_| {})
            .with_broker_labeled(
                "b",
                Depot::new("b", &journal).refusing("shut down"),
                |scope| {
                    mount(scope, "parcels", idle);
                },
            )
            .with_broker_labeled("c", Depot::new("c", &journal), |_| {})
            .after_shutdown(journal.hook("after_shutdown"));
        let running = app.start().await.unwrap();
        let probe = running.health();
        running.service.fail("parcels", "broken");
        journal.take();

        let log = LogCapture::start();
        let RustStreamError::Shutdown(source) = running.shutdown().await.unwrap_err() else {
            panic!("not a shutdown error");
        };

        assert_eq!(source.downcast_ref(), Some(&Refused("shut down")));
        assert_eq!(
            journal.take(),
            ["shutdown c", "shutdown b", "shutdown a", "after_shutdown"]
        );
        assert_eq!(
            log.take()[2..],
            [
                "DEBUG ruststream::lifecycle: broker shut down broker=\"c\"",
                "WARN ruststream::lifecycle: broker shutdown failed broker=\"b\" \
                 error=the depot refuses to shut down",
                "WARN ruststream::lifecycle: broker shutdown failed broker=\"a\" \
                 error=the depot refuses to shut down",
                "INFO ruststream::lifecycle: service stopped",
            ]
        );
        // RUN-092: the failure that came first stays what probes see.
        assert_eq!(
            probe.state(),
            HealthState::Failed {
                reason: "parcels: broken".into()
            }
        );
    }

    // RUN-092, OBS-37
    #[tokio::test]
    async fn a_stop_that_fails_leaves_its_error_in_the_health() {
        let journal = Journal::default();
        let app = depots().register_broker(Depot::new("a", &journal).refusing("shut down"));
        let running = app.start().await.unwrap();
        let probe = running.health();

        let error = running.shutdown().await.unwrap_err();

        assert_eq!(
            probe.state(),
            HealthState::Failed {
                reason: error.to_string()
            }
        );
    }

    // RUN-071, RUN-072, RUN-092, OBS-37
    #[tokio::test]
    async fn the_first_failure_of_a_subscription_is_the_result() {
        let journal = Journal::default();
        let app = depots().with_broker(Depot::new("a", &journal), |scope| {
            mount(scope, "parcels", noting(&journal, "loop ends"));
        });
        let running = app.start().await.unwrap();
        let probe = running.health();

        running.service.fail("parcels", "handler panicked: why");
        running.service.fail("labels", "second");
        let failed = HealthState::Failed {
            reason: "parcels: handler panicked: why".into(),
        };
        assert_eq!(probe.state(), failed);

        let RustStreamError::Dispatch(reason) = running.shutdown().await.unwrap_err() else {
            panic!("not a dispatch error");
        };
        assert_eq!(reason, "parcels: handler panicked: why");
        assert_eq!(probe.state(), failed);
        assert_eq!(journal.take()[2..], ["loop ends", "shutdown a"]);
    }

    // RUN-074, trap 44
    #[tokio::test]
    async fn a_connection_that_somebody_still_holds_fails_the_stop_of_its_broker() {
        let journal = Journal::default();
        let depot = Bindable::new(Depot::new("a", &journal));
        let stuck = depot.bind(Gate::Sticks);
        let app = depots()
            .register_broker(Depot::new("b", &journal))
            .with_broker_labeled("north", depot, |_| {})
            .register_broker(Depot::new("c", &journal));
        let running = app.start().await.unwrap();
        let mut pairing = Box::pin(running.publisher(stuck));
        assert!((&mut pairing).now_or_never().is_none());
        journal.take();

        let error = running.shutdown().await.unwrap_err().to_string();

        assert!(
            error.contains("the connected broker `north` is still aliased at shutdown"),
            "{error}"
        );
        assert_eq!(journal.take(), ["shutdown c", "shutdown b"]);
        drop(pairing);
        assert_eq!(journal.take(), ["drop a"]);
    }

    // RUN-070
    #[tokio::test]
    async fn a_stop_that_is_dropped_takes_no_further_deliveries() {
        let journal = Journal::default();
        let app = depots()
            .on_shutdown(|_| std::future::pending::<Result<(), Infallible>>())
            .with_broker(Depot::new("a", &journal), |scope| {
                mount(scope, "parcels", noting(&journal, "loop ends"));
            });
        let running = app.start().await.unwrap();

        assert!(running.shutdown().now_or_never().is_none());
        tokio::task::yield_now().await;

        assert_eq!(journal.take()[2..], ["loop ends", "drop a"]);
    }
}
