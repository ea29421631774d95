//! The start of a service (RUN-050).
//!
//! State, connections, subscriptions, hooks, each in the order of registration. What was brought up
//! so far is in the [`RunningApp`] from the moment it is, so a failure at any point leaves all that
//! has to be taken down in one place.

use std::sync::Arc;

use super::broker::UnconnectedBroker;
use super::error::RustStreamError;
use super::force::Force;
use super::plan::{Composed, Plan, compose};
use super::running::{RunningApp, Teardown};
use super::shutdown;

/// Starts a service.
pub(crate) async fn start<State>(plan: Plan<State>) -> Result<RunningApp, RustStreamError>
where
    State: Send + Sync + 'static,
{
    let mut app = RunningApp::new(&plan.settings);
    match bring_up(&mut app, plan).await {
        Ok(()) => {
            app.stops_when_dropped = false;
            Ok(app)
        }
        Err(error) => {
            shutdown::unwind(app, &mut Force::never()).await;
            Err(error)
        }
    }
}

/// Brings up everything in `plan`. After an error, or when the future was dropped, `app` is left
/// for [`shutdown::unwind`].
pub(crate) async fn bring_up<State>(
    app: &mut RunningApp,
    plan: Plan<State>,
) -> Result<(), RustStreamError>
where
    State: Send + Sync + 'static,
{
    let Plan {
        info,
        brokers,
        handlers,
        registrations,
        producer,
        hooks,
        ..
    } = plan;
    tracing::info!(
        target: "ruststream::lifecycle",
        service = %info.title,
        version = %info.version,
        brokers = brokers.len(),
        subscribers = handlers.len(),
        "starting service"
    );
    tracing::debug!(target: "ruststream::lifecycle", "producing application state");
    let state = producer().await.map_err(RustStreamError::Startup)?;
    let composed = compose(handlers, registrations, hooks, &Arc::new(state));
    connect(app, brokers).await?;
    open(app, composed).await
}

async fn connect(
    app: &mut RunningApp,
    brokers: Vec<Box<dyn UnconnectedBroker>>,
) -> Result<(), RustStreamError> {
    for broker in brokers {
        let live = broker.connect().await.map_err(RustStreamError::Connect)?;
        tracing::info!(
            target: "ruststream::lifecycle", broker = live.name(), "broker connected"
        );
        app.push_connection(live);
    }
    Ok(())
}

async fn open(app: &mut RunningApp, composed: Composed) -> Result<(), RustStreamError> {
    let Composed {
        handlers,
        registrations,
        hooks,
    } = composed;
    for (handler, open) in handlers.iter().zip(registrations) {
        let dispatch = open(app.service.clone())
            .await
            .map_err(RustStreamError::Subscribe)?;
        app.spawn(dispatch);
        tracing::info!(
            target: "ruststream::dispatch",
            subscriber = %handler.name,
            input = handler.input_type,
            "subscriber started"
        );
    }

    tracing::debug!(
        target: "ruststream::lifecycle",
        count = hooks.after_startup.len(),
        "running after_startup hooks"
    );
    for hook in hooks.after_startup {
        hook().await.map_err(RustStreamError::Startup)?;
    }
    *app.teardown() = Teardown {
        on_shutdown: hooks.on_shutdown,
        after_shutdown: hooks.after_shutdown,
    };
    tracing::info!(
        target: "ruststream::lifecycle", subscribers = handlers.len(), "service running"
    );
    Ok(())
}
