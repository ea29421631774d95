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
use crate::observe::Transition;

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
        let connecting = broker.connect(Transition::default());
        let live = connecting.await.map_err(RustStreamError::Connect)?;
        tracing::info!(
            target: "ruststream::lifecycle", broker = live.name(), "broker connected"
        );
        app.push_connection(live);
    }
    Ok(())
}

pub(super) async fn open(app: &mut RunningApp, composed: Composed) -> Result<(), RustStreamError> {
    let Composed {
        handlers,
        registrations,
        hooks,
    } = composed;
    for (handler, open) in handlers.iter().zip(registrations) {
        let dispatch = open(app.service.clone())
            .await
            .inspect_err(|error| {
                // No error of its own: that is what the start answers.
                tracing::info!(
                    target: "ruststream::lifecycle",
                    subscription = %handler.name, error = %error, "subscription did not open"
                );
            })
            .map_err(RustStreamError::Subscribe)?;
        app.spawn(&handler.name, dispatch);
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

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::panic::AssertUnwindSafe;
    use std::time::Duration;

    use futures_util::FutureExt;
    use tokio::sync::oneshot;
    use tokio::task::yield_now;
    use tokio::time::Instant;

    use super::*;
    use crate::app::testkit::{
        Depot, Gate, Journal, Refused, breaking, depots, idle, mount, noting, refused, stuck,
    };
    use crate::layers::log_capture::LogCapture;

    // RUN-050, RUN-103, PUB-220
    #[tokio::test]
    async fn a_start_goes_by_state_brokers_subscriptions_and_hooks_each_in_order() {
        let journal = Journal::default();
        let (first, second) = (journal.clone(), journal.clone());
        let app = depots()
            .on_startup(async move |()| {
                first.note("state");
                Ok::<_, Infallible>(41)
            })
            .after_startup(async move |state| {
                second.note(format!("hook of {state}"));
                Ok::<_, Infallible>(())
            })
            .with_broker(Depot::new("a", &journal), |scope| {
                mount(scope, "parcels", idle);
                let journal = journal.clone();
                scope.after_startup(Gate::Opens, async move |live| {
                    journal.note(format!("hook of scope {live}"));
                    Ok::<_, Infallible>(())
                });
                mount(scope, "labels", idle);
            })
            .with_broker(Depot::new("b", &journal), |scope| {
                mount(scope, "scans", idle);
            })
            .after_startup(journal.hook("last hook"));

        let running = app.start().await.unwrap();

        assert!(running.health().is_running());
        assert_eq!(
            journal.take(),
            [
                "state",
                "connect a",
                "connect b",
                "open parcels",
                "open labels",
                "open scans",
                "hook of 41",
                "hook of scope a",
                "last hook",
            ]
        );
    }

    // RUN-050, RUN-480, OBS-07, OBS-08
    #[tokio::test]
    async fn a_start_is_logged_step_by_step() {
        let journal = Journal::default();
        let app = depots()
            .with_broker_labeled("north", Depot::new("a", &journal), |scope| {
                mount(scope, "parcels", idle);
            })
            .register_broker(Depot::new("b", &journal))
            .after_startup(journal.hook("hook"));

        let log = LogCapture::start();
        let _running = app.start().await.unwrap();

        assert_eq!(
            log.take(),
            [
                "INFO ruststream::lifecycle: starting service service=depots version=1.4.0 \
                 brokers=2 subscribers=1",
                "DEBUG ruststream::lifecycle: producing application state",
                "INFO ruststream::lifecycle: broker connected broker=\"north\"",
                &format!(
                    "INFO ruststream::lifecycle: broker connected broker={:?}",
                    std::any::type_name::<Depot>()
                ),
                "INFO ruststream::dispatch: subscriber started subscriber=parcels input=\"bytes\"",
                "DEBUG ruststream::lifecycle: running after_startup hooks count=1",
                "INFO ruststream::lifecycle: service running subscribers=1",
            ]
        );
    }

    // RUN-050: without a runtime there is nothing to start on.
    #[test]
    fn a_start_outside_of_a_runtime_says_what_to_do() {
        let start = AssertUnwindSafe(|| depots().start().now_or_never());

        let panic = std::panic::catch_unwind(start).expect_err("a panic");

        let told = panic.downcast_ref::<&str>().expect("a text");
        assert!(told.contains("`#[tokio::main]`"), "{told}");
    }

    // RUN-050 step 2, trap 48
    #[tokio::test]
    async fn a_failed_state_producer_leaves_no_broker_dialled() {
        let journal = Journal::default();
        let app = depots()
            .on_startup(async |()| Err::<u32, _>(Refused("open the ledger")))
            .with_broker(Depot::new("a", &journal), |scope| {
                mount(scope, "parcels", idle);
            })
            .after_shutdown(journal.hook("after_shutdown"));

        let RustStreamError::Startup(source) = app.start().await.unwrap_err() else {
            panic!("not a startup error");
        };

        assert_eq!(source.downcast_ref(), Some(&Refused("open the ledger")));
        assert!(journal.take().is_empty());
    }

    // RUN-050 step 3, RUN-480
    #[tokio::test]
    async fn a_refused_connection_closes_the_brokers_before_it_in_reverse() {
        let journal = Journal::default();
        let app = depots()
            .with_broker(Depot::new("a", &journal), |scope| {
                mount(scope, "parcels", idle);
            })
            .with_broker_labeled("b", Depot::new("b", &journal), |_| {})
            .register_broker(Depot::new("c", &journal).refusing("connect"))
            .register_broker(Depot::new("d", &journal));

        let log = LogCapture::start();
        let RustStreamError::Connect(source) = app.start().await.unwrap_err() else {
            panic!("not a connect error");
        };

        assert_eq!(source.downcast_ref(), Some(&Refused("connect")));
        assert_eq!(
            journal.take(),
            ["connect a", "connect b", "shutdown b", "shutdown a"]
        );
        let told = log.take();
        let closed =
            "DEBUG ruststream::lifecycle: broker shut down after a startup failure broker=\"b\"";
        assert!(told.iter().any(|line| line == closed));
        let failed = "INFO ruststream::lifecycle: broker did not connect broker=";
        assert!(told.iter().any(|line| line.starts_with(failed)), "{told:?}");
    }

    // RUN-050 step 4, RUN-053, PUB-222, trap 37
    #[tokio::test]
    async fn a_subscription_that_does_not_open_takes_down_what_was_up() {
        let journal = Journal::default();
        let late = journal.clone();
        let app = depots()
            .with_broker(Depot::new("a", &journal), |scope| {
                mount(scope, "parcels", |service| {
                    Ok(Box::pin(async move {
                        service.stop().raised().await;
                        late.note("loop ends");
                        service.continuations().spawn(async move {
                            yield_now().await;
                            late.note("continuation ends");
                        });
                    }))
                });
                mount(scope, "labels", refused);
                mount(scope, "scans", idle);
            })
            .register_broker(Depot::new("b", &journal))
            .after_startup(journal.hook("after_startup"))
            .on_shutdown(journal.hook("on_shutdown"))
            .after_shutdown(journal.hook("after_shutdown"));

        let log = LogCapture::start();
        let RustStreamError::Subscribe(source) = app.start().await.unwrap_err() else {
            panic!("not a subscription error");
        };

        let told = log.take();
        let failed = "INFO ruststream::lifecycle: subscription did not open subscription=labels";
        assert!(told.iter().any(|line| line.starts_with(failed)), "{told:?}");

        assert_eq!(source.downcast_ref(), Some(&Refused("open")));
        assert_eq!(
            journal.take(),
            [
                "connect a",
                "connect b",
                "open parcels",
                "open labels",
                "loop ends",
                "continuation ends",
                "shutdown b",
                "shutdown a",
            ]
        );
    }

    // RUN-050 step 5, RUN-053, trap 38
    #[tokio::test]
    async fn the_first_failed_after_startup_hook_ends_the_start() {
        let journal = Journal::default();
        let app = depots()
            .after_startup(journal.hook("first"))
            .after_startup(async |_| Err(Refused("announce")))
            .after_startup(journal.hook("third"))
            .on_shutdown(journal.hook("on_shutdown"))
            .after_shutdown(journal.hook("after_shutdown"))
            .with_broker(Depot::new("a", &journal), |scope| {
                mount(scope, "parcels", noting(&journal, "loop ends"));
            });

        let RustStreamError::Startup(source) = app.start().await.unwrap_err() else {
            panic!("not a startup error");
        };

        assert_eq!(source.downcast_ref(), Some(&Refused("announce")));
        assert_eq!(
            journal.take(),
            [
                "connect a",
                "open parcels",
                "first",
                "loop ends",
                "shutdown a"
            ]
        );
    }

    // RUN-053, RUN-480
    #[tokio::test(start_paused = true)]
    async fn what_goes_wrong_while_a_start_is_taken_back_is_logged_only() {
        let journal = Journal::default();
        let app = depots()
            .shutdown_timeout(Duration::from_secs(20))
            .with_broker_labeled(
                "a",
                Depot::new("a", &journal).refusing("shut down"),
                |scope| {
                    mount(scope, "parcels", stuck(&journal, "loop aborted"));
                    mount(scope, "labels", breaking);
                    mount(scope, "scans", refused);
                },
            )
            .register_broker(Depot::new("b", &journal));

        let (log, begun) = (LogCapture::start(), Instant::now());
        let error = app.start().await.unwrap_err();

        assert_eq!(
            error.to_string(),
            "subscription failed: the depot refuses to open"
        );
        assert_eq!(begun.elapsed(), Duration::from_secs(20));
        assert_eq!(
            journal.take()[5..],
            ["loop aborted", "shutdown b", "shutdown a"]
        );
        let log = log.take();
        let warned = |text: &str| {
            log.iter()
                .any(|line| line.starts_with("WARN") && line.contains(text))
        };
        assert!(warned(
            "graceful shutdown timed out; aborting in-flight handlers"
        ));
        assert!(warned(
            "draining dispatch tasks failed during the startup unwind error="
        ));
        assert!(warned(
            "broker shutdown failed during the startup unwind broker=\"a\" error="
        ));
    }

    // RUN-052
    #[tokio::test]
    async fn a_subscription_is_served_before_the_after_startup_hooks_end() {
        let journal = Journal::default();
        let (open, served) = oneshot::channel();
        let app = depots()
            .with_broker(Depot::new("a", &journal), |scope| {
                mount(scope, "parcels", |service| {
                    open.send(()).unwrap();
                    idle(service)
                });
            })
            .after_startup(|_| served);

        app.start().await.unwrap().shutdown().await.unwrap();
    }

    // RUN-052
    #[tokio::test]
    async fn a_service_of_nothing_starts_and_stops() {
        let running = depots().start().await.unwrap();

        assert!(running.health().is_running());
        running.shutdown().await.unwrap();
    }

    // RUN-308
    #[tokio::test]
    async fn a_panic_of_a_producer_or_hook_goes_on_to_the_caller_and_leaves_no_loop_running() {
        async fn broken<S>(_: S) -> Result<(), Infallible> {
            std::panic::resume_unwind(Box::new("broken"))
        }
        let app = depots().on_startup(broken);
        assert!(AssertUnwindSafe(app.start()).catch_unwind().await.is_err());

        let journal = Journal::default();
        let (ends, ended) = oneshot::channel();
        let app = depots()
            .with_broker(Depot::new("a", &journal), |scope| {
                mount(scope, "parcels", |service| {
                    Ok(Box::pin(async move {
                        service.stop().raised().await;
                        ends.send(()).unwrap();
                    }))
                });
            })
            .after_startup(broken);
        assert!(AssertUnwindSafe(app.start()).catch_unwind().await.is_err());
        ended.await.unwrap();
    }

    #[tokio::test]
    async fn a_start_that_is_dropped_leaves_no_loop_running() {
        let journal = Journal::default();
        let app = depots()
            .with_broker(Depot::new("a", &journal), |scope| {
                mount(scope, "parcels", noting(&journal, "loop ends"));
            })
            .after_startup(|_| std::future::pending::<Result<(), Infallible>>());

        assert!(app.start().now_or_never().is_none());
        yield_now().await;

        assert_eq!(
            journal.take(),
            ["connect a", "open parcels", "loop ends", "drop a"]
        );
    }

    // RUN-032, RUN-307
    #[tokio::test]
    async fn a_failure_during_the_start_is_found_by_whoever_gets_the_handle() {
        let journal = Journal::default();
        let app = depots().with_broker(Depot::new("a", &journal), |scope| {
            mount(scope, "parcels", |service| {
                service.fail("parcels", "broken");
                idle(service)
            });
            mount(scope, "labels", idle);
        });

        let running = app.start().await.unwrap();

        running.stopping().await;
        assert_eq!(
            running.shutdown().await.unwrap_err().to_string(),
            "dispatch failed: parcels: broken"
        );
    }
}
