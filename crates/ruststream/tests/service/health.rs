//! What a probe sees of a service from its start to its end.

use std::time::Duration;

use ruststream::prelude::*;
use ruststream::runtime::{HealthProbe, HealthState, SubscriptionEnd};
use tokio::task::{JoinHandle, yield_now};

use crate::support::{Letter, Transport, Yard, answers, service};

/// Notes what each change leads to, until the service is stopped.
fn watch(mut probe: HealthProbe) -> JoinHandle<Vec<(HealthState, usize)>> {
    tokio::spawn(async move {
        let mut seen = Vec::new();
        while probe.state() != HealthState::Stopped {
            let state = probe.changed().await;
            seen.push((state, probe.subscriptions().active));
        }
        seen
    })
}

fn panics() -> impl Handle<u32> {
    answers(|_, _| panic!("broken"))
}

fn acks() -> impl Handle<u32> {
    answers(|_, _| HandlerOutcome::ack())
}

// RUN-090, RUN-091, RUN-092, RUN-093, OBS-35, OBS-36
#[tokio::test]
async fn an_orderly_life_is_running_shutting_down_and_stopped() {
    let yard = Yard::new(Transport::PLAIN);
    let stop = std::sync::Arc::new(tokio::sync::Notify::new());
    let hold = std::sync::Arc::clone(&stop);
    let app = service()
        .on_shutdown(async move |_| {
            hold.notified().await;
            Ok::<_, std::convert::Infallible>(())
        })
        .with_broker(yard.clone(), |b| {
            b.include(subscriber("parcels", acks()).workers(nonzero!(4)).build());
            b.include(subscriber("labels", acks()).threads(nonzero!(2)).build());
        });
    let running = app.start().await.expect("starts");
    let probe = running.health();
    let mut waiting = running.health();
    assert_eq!(probe.state(), HealthState::Running);
    // However many workers and threads it has, a subscription is one.
    assert_eq!(
        (probe.subscriptions().active, probe.subscriptions().started),
        (2, 2)
    );
    assert!(probe.is_running());

    let stopping = tokio::spawn(running.shutdown());
    assert_eq!(waiting.changed().await, HealthState::ShuttingDown);
    assert!(!probe.is_running());
    assert_eq!(
        probe.subscriptions().active,
        2,
        "hooks run while deliveries are handled"
    );
    stop.notify_one();
    stopping.await.expect("no panic").expect("stops");

    assert_eq!(probe.state(), HealthState::Stopped);
    assert_eq!(
        (probe.subscriptions().active, probe.subscriptions().started),
        (0, 2)
    );
}

// RUN-092, RUN-091, RUN-307
#[tokio::test]
async fn a_failure_shows_at_once_and_stays_to_the_end() {
    let yard = Yard::new(Transport::PLAIN);
    let app = service().with_broker(yard.clone(), |b| {
        b.include(subscriber("parcels", panics()).build());
        b.include(subscriber("labels", acks()).build());
    });
    let running = app.start().await.expect("starts");
    let mut probe = running.health();
    yard.send("parcels", Letter::new(7));

    let failed = HealthState::Failed {
        reason: "parcels: handler panicked: broken".into(),
    };
    assert_eq!(probe.changed().await, failed);
    // Nobody called for a stop; who asks later sees it too.
    assert_eq!(running.health().state(), failed);
    running.shutdown().await.expect_err("failed");

    assert_eq!(probe.state(), failed);
}

// RUN-092
#[tokio::test]
async fn a_stop_that_fails_is_seen_with_its_error() {
    let yard = Yard::new(Transport::PLAIN);
    yard.fail("shutdown", 1);
    let running = service()
        .register_broker(yard)
        .start()
        .await
        .expect("starts");
    let probe = running.health();

    let error = running.shutdown().await.expect_err("fails");

    assert_eq!(
        probe.state(),
        HealthState::Failed {
            reason: error.to_string()
        }
    );
}

// RUN-091, RUN-093, RUN-094
#[tokio::test]
async fn a_probe_wakes_for_each_subscription_that_ends() {
    let yard = Yard::new(Transport::PLAIN);
    let app = service().with_broker(yard.clone(), |b| {
        b.include(subscriber("parcels", acks()).build());
        b.include(subscriber("labels", acks()).workers(nonzero!(2)).build());
        b.include(subscriber("scans", acks()).threads(nonzero!(2)).build());
    });
    let running = app.start().await.expect("starts");
    let mut probe = running.health();
    for (left, name) in [(2, "labels"), (1, "scans"), (0, "parcels")] {
        yard.end(name);

        assert_eq!(probe.changed().await, HealthState::Running);
        assert_eq!(probe.subscriptions().active, left);
    }

    let seen = watch(running.health());
    yield_now().await;
    running.shutdown().await.expect("stops");
    let seen = seen.await.expect("no panic");
    assert_eq!(seen.last(), Some(&(HealthState::Stopped, 0)));
}

// RUN-091, trap 42
#[tokio::test(start_paused = true)]
async fn a_probe_that_waits_for_nothing_parks() {
    let running = service()
        .on_subscription_end(SubscriptionEnd::Log)
        .register_broker(Yard::new(Transport::PLAIN))
        .start()
        .await
        .expect("starts");
    let (mut outlives, mut detached) = (running.health(), running.health());
    running.shutdown().await.expect("stops");
    while outlives.state() != HealthState::Stopped {
        outlives.changed().await;
    }
    // Changes since it last waited are still told, and none comes after them.
    let told = async { while detached.changed().await != HealthState::Stopped {} };
    tokio::time::timeout(Duration::from_mins(1), told)
        .await
        .expect("it is told of the end");

    let parked = tokio::time::timeout(Duration::from_hours(1), detached.changed()).await;
    assert!(parked.is_err(), "nothing can change any more");
}

// RUN-091, RUN-092
#[test]
fn a_probe_is_read_from_anywhere() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let yard = Yard::new(Transport::PLAIN);
    let running = runtime
        .block_on(service().register_broker(yard).start())
        .expect("starts");
    let probe = running.health();
    let mut elsewhere = probe.clone();
    let thread = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        runtime.block_on(async { while elsewhere.changed().await != HealthState::Stopped {} });
    });

    runtime.block_on(running.shutdown()).expect("stops");
    drop(runtime);

    thread.join().expect("was told on another runtime");
    assert_eq!(probe.state(), HealthState::Stopped);
}
