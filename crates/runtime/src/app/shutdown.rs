//! The stop of a service (RUN-070), and the unwinding of a start that failed (RUN-053).
//!
//! The order carries the promises: loops end before continuations are waited for, because loops
//! make them; continuations before the brokers close, because they publish.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::task::{JoinError, JoinHandle};

use super::error::RustStreamError;
use super::force::{Cut, Force};
use super::hooks::BoundHook;
use super::registration::BoxError;
use super::running::RunningApp;

/// How long a stop waits for what it aborted. A body that blocks its thread cannot be aborted, and
/// must not keep the process from ending.
const ABORT_GRACE: Duration = Duration::from_secs(5);

/// Stops a running service.
pub(crate) async fn stop(
    mut app: RunningApp,
    force: &mut Force<'_>,
) -> Result<(), RustStreamError> {
    app.stops_when_dropped = true;
    app.service.begin_stopping();
    app.health.shutting_down();
    let teardown = std::mem::take(app.teardown());
    run_hooks("on_shutdown", teardown.on_shutdown).await;

    app.service.stop().raise();
    let join_error = drain_loops(&mut app, force).await;
    drain_continuations(&app, force).await;
    let shutdown_error = close_brokers(&app, &ORDERLY).await;
    run_hooks("after_shutdown", teardown.after_shutdown).await;

    tracing::info!(target: "ruststream::lifecycle", "service stopped");
    let result = result(&app, join_error, shutdown_error);
    app.health.finish(result.as_ref().map(|()| ()));
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
    if let Some(error) = join_error.filter(|_| app.shutdown_timeout.is_none()) {
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

async fn run_hooks(phase: &str, hooks: Vec<BoundHook>) {
    for hook in hooks {
        if let Err(error) = hook().await {
            tracing::warn!(
                target: "ruststream::lifecycle", error = %error, "{phase} hook failed"
            );
        }
    }
}

/// Waits until every loop settled what it took, or aborts them. The error is that of the first loop
/// that panicked, in the order they were started.
async fn drain_loops(app: &mut RunningApp, force: &mut Force<'_>) -> Option<JoinError> {
    tracing::debug!(target: "ruststream::lifecycle", "draining in-flight handlers");
    let mut panicked = None;
    let drained = force
        .wait_for(join(&mut app.loops, &mut panicked), app.shutdown_timeout)
        .await;
    if let Err(cut) = drained {
        match cut {
            Cut::Expired => tracing::warn!(
                target: "ruststream::lifecycle",
                "graceful shutdown timed out; aborting in-flight handlers"
            ),
            Cut::Forced => tracing::warn!(
                target: "ruststream::lifecycle",
                "a second shutdown signal was received; aborting in-flight handlers"
            ),
        }
        for task in &app.loops {
            task.abort();
        }
        let aborted = async {
            join(&mut app.loops, &mut panicked).await;
            app.service.workers().close();
            app.service.workers().wait().await;
        };
        // Whatever outlasts the grace is beyond reach; the brokers close nevertheless.
        let _ = tokio::time::timeout(ABORT_GRACE, aborted).await;
    }
    panicked
}

/// Joins the loops from the first on. Dropped and called again it goes on where it was.
async fn join(loops: &mut VecDeque<JoinHandle<()>>, panicked: &mut Option<JoinError>) {
    while let Some(task) = loops.front_mut() {
        let joined = task.await;
        loops.pop_front();
        if let Err(error) = joined
            && error.is_panic()
        {
            panicked.get_or_insert(error);
        }
    }
}

async fn drain_continuations(app: &RunningApp, force: &mut Force<'_>) {
    tracing::debug!(target: "ruststream::lifecycle", "draining post-settle continuations");
    let continuations = app.service.continuations();
    continuations.close();
    match force
        .wait_for(continuations.wait(), app.shutdown_timeout)
        .await
    {
        Ok(()) => {}
        Err(Cut::Expired) => tracing::warn!(
            target: "ruststream::lifecycle",
            "graceful shutdown timed out; abandoning in-flight continuations"
        ),
        Err(Cut::Forced) => tracing::warn!(
            target: "ruststream::lifecycle",
            "a second shutdown signal was received; abandoning in-flight continuations"
        ),
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
