//! Streams that yield errors, and streams that end.

use std::convert::Infallible;
use std::sync::Arc;

use ruststream::prelude::*;
use ruststream::runtime::{
    BrokerScope, HealthState, Identity, RustStreamError, SubscriptionCount, SubscriptionEnd,
};
use tokio::sync::Semaphore;
use tokio::task::yield_now;

use crate::support::{Logs, Transport, Yard, lines, service_with};

type Gate = Arc<Semaphore>;
type Scope = BrokerScope<Yard, Identity, (), Gate>;

#[subscriber("parcels")]
async fn gated(_id: &u32, ctx: &mut Context<'_, (), Gate>) {
    ctx.state().acquire().await.expect("never closed").forget();
}

#[subscriber("parcels")]
async fn gated_batches(_ids: &[u32], ctx: &mut Context<'_, (), Gate>) {
    ctx.state().acquire().await.expect("never closed").forget();
}

#[subscriber("labels")]
async fn free(_id: &u32) {}

const FORMS: [(&str, fn(&mut Scope)); 7] = [
    ("sequential", |b| drop(b.include(gated))),
    ("workers", |b| drop(b.include(gated.workers(nonzero!(2))))),
    ("workers by key", |b| {
        drop(b.include(gated.workers_by_key(nonzero!(2))));
    }),
    ("threads", |b| drop(b.include(gated.threads(nonzero!(2))))),
    ("threads by key", |b| {
        drop(b.include(gated.threads_by_key(nonzero!(2))));
    }),
    ("batches", |b| {
        drop(b.include(gated_batches.batch(nonzero!(1))));
    }),
    ("batches under workers", |b| {
        drop(b.include(gated_batches.batch(nonzero!(1)).workers(nonzero!(2))));
    }),
];

fn open() -> Gate {
    Arc::new(Semaphore::new(Semaphore::MAX_PERMITS))
}

// RUN-231, RUN-076, trap 14
#[tokio::test]
async fn a_stream_of_nothing_but_errors_holds_up_neither_others_nor_the_stop() {
    for (form, mount) in FORMS {
        let yard = Yard::new(Transport::PLAIN);
        yard.err("parcels", usize::MAX);
        yard.send_all("labels", 0..50);
        let app = service_with(open()).with_broker(yard.clone(), |b| {
            mount(b);
            b.include(free);
        });
        let running = app.start().await.expect("starts");

        yard.journal().until_count(50, "ack").await;

        assert_eq!(running.health().state(), HealthState::Running, "{form}");
        running.shutdown().await.expect("stops");
    }
}

// RUN-231, RUN-224, CORE-032, trap 13
#[tokio::test]
async fn errors_of_a_stream_are_logged_and_cost_no_worker() {
    for (form, mount) in FORMS {
        let (yard, gate) = (Yard::new(Transport::PLAIN), open());
        yard.err("parcels", 20);
        yard.send_all("parcels", 0..20);
        let logs = Logs::start();
        let app = service_with(gate).with_broker(yard.clone(), mount);
        let running = app.start().await.expect("starts");

        yard.journal().until_count(20, "ack").await;

        running.shutdown().await.expect("stops");
        let errors = logs.with("subscriber stream error");
        assert_eq!(errors.len(), 20, "{form}");
        assert!(
            errors[0].starts_with("ERROR ruststream::dispatch: "),
            "{}",
            errors[0]
        );
        assert!(
            errors[0].contains("error=the yard refuses: read parcels"),
            "{}",
            errors[0]
        );
        assert!(errors[0].contains("subscription=parcels"), "{}", errors[0]);
    }
}

// RUN-094, RUN-093, RUN-240
#[tokio::test]
async fn a_stream_that_ends_finishes_what_it_took_and_leaves_the_service_running() {
    for (form, mount) in FORMS {
        let (yard, gate) = (Yard::new(Transport::PLAIN), Gate::new(Semaphore::new(0)));
        yard.send_all("parcels", 0..6);
        yard.end("parcels");
        let logs = Logs::start();
        let app = service_with(Arc::clone(&gate)).with_broker(yard.clone(), mount);
        let running = app.start().await.expect("starts");
        let mut probe = running.health();
        let count = |probe: &ruststream::runtime::HealthProbe| {
            let SubscriptionCount {
                active, started, ..
            } = probe.subscriptions();
            (active, started)
        };
        while yard.out() == 0 {
            yield_now().await;
        }
        assert_eq!(count(&probe), (1, 1), "{form}");

        gate.add_permits(6);
        assert_eq!(probe.changed().await, HealthState::Running);

        assert_eq!(count(&probe), (0, 1), "{form}");
        assert_eq!(yard.journal().beginning("ack").len(), 6, "{form}");
        let line = logs.line("subscriber stream ended");
        assert_eq!(
            line,
            "DEBUG ruststream::dispatch: subscriber stream ended subscription=parcels"
        );
        running.shutdown().await.expect("stops");
    }
}

// RUN-094, RUN-307, RUN-071
#[tokio::test]
async fn a_stream_that_ends_tears_the_service_down_where_that_is_asked_for() {
    for (form, mount) in FORMS {
        let yard = Yard::new(Transport::PLAIN);
        yard.send_all("parcels", 0..6);
        yard.end("parcels");
        let app = service_with(open())
            .on_subscription_end(SubscriptionEnd::FailFast)
            .with_broker(yard.clone(), |b| {
                mount(b);
                b.include(free);
            });

        let Err(RustStreamError::Dispatch(reason)) = app.run_until(std::future::pending()).await
        else {
            panic!("{form}: no failure");
        };

        assert_eq!(reason, "parcels: the subscription's stream ended");
        assert_eq!(yard.journal().beginning("ack").len(), 6, "{form}");
        assert_eq!(yard.journal().beginning("shutdown"), ["shutdown yard"]);
    }
}

// RUN-094, RUN-070 step 1, trap 41
#[tokio::test]
async fn a_stream_that_ends_while_the_service_stops_is_nothing_to_report() {
    for (form, mount) in FORMS {
        let yard = Yard::new(Transport::PLAIN);
        let (ending, logs) = (yard.clone(), Logs::start());
        let app = service_with(open())
            .on_subscription_end(SubscriptionEnd::FailFast)
            .on_shutdown(async move |_| {
                ending.end("parcels");
                for _ in 0..20 {
                    yield_now().await;
                }
                Ok::<_, Infallible>(())
            })
            .with_broker(yard.clone(), mount);
        let running = app.start().await.expect("starts");

        running
            .shutdown()
            .await
            .unwrap_or_else(|error| panic!("{form}: {error}"));

        assert_eq!(lines(&logs.with("stream ended")), [""; 0], "{form}");
    }
}
