//! A loop or a worker that dies outside of what the runtime isolates.

use std::time::Duration;

use ruststream::prelude::*;
use ruststream::runtime::{BrokerScope, RustStreamError};

use crate::support::{Letter, Logs, Transport, Yard, answers, service};

fn acks() -> impl Handle<u32> {
    answers(|_, _| HandlerOutcome::ack())
}

/// A yard in which settling the number 7 breaks the broker's own code.
fn broken() -> Yard {
    let yard = Yard::new(Transport::PLAIN);
    yard.break_at("ack 7");
    yard
}

/// Sends one that breaks, then shows that the other subscription goes on.
async fn outlive(yard: &Yard, app: impl App) -> (RunningApp, Logs) {
    let logs = Logs::start();
    let running = app.start().await.expect("starts");
    let mut health = running.health();
    yard.send("parcels", Letter::new(7));
    while health.subscriptions().active == 2 {
        health.changed().await;
    }
    yard.send("labels", Letter::new(8));
    yard.journal().until_line("ack 8").await;
    assert!(health.is_running());
    (running, logs)
}

fn beside(b: &mut BrokerScope<Yard>) {
    b.include(subscriber("labels", acks()).build());
}

// RUN-232, RUN-071
#[tokio::test]
async fn a_sequential_loop_that_dies_is_the_result_unless_the_stop_has_a_bound() {
    for bound in [None, Some(Duration::from_secs(5))] {
        let yard = broken();
        let mut app = service().with_broker(yard.clone(), |b| {
            b.include(subscriber("parcels", acks()).build());
            beside(b);
        });
        if let Some(bound) = bound {
            app = app.shutdown_timeout(bound);
        }

        let (running, _logs) = outlive(&yard, app).await;
        let result = running.shutdown().await;

        match bound {
            None => assert!(
                matches!(result, Err(RustStreamError::Join(_))),
                "{result:?}"
            ),
            Some(_) => result.expect("the death is not told"),
        }
        assert_eq!(yard.journal().beginning("shutdown"), ["shutdown yard"]);
    }
}

// RUN-232
#[tokio::test]
async fn a_worker_or_a_thread_that_dies_ends_its_subscription_alone() {
    type Mount = fn(&mut BrokerScope<Yard>);
    let mounts: [(Mount, [&str; 2]); 4] = [
        (
            |b| drop(b.include(subscriber("parcels", acks()).workers(nonzero!(2)).build())),
            ["worker terminated; stopping dispatch", "worker task failed"],
        ),
        (
            |b| {
                drop(
                    b.include(
                        subscriber("parcels", acks())
                            .workers_by_key(nonzero!(2))
                            .build(),
                    ),
                );
            },
            ["worker terminated; stopping dispatch", "worker task failed"],
        ),
        (
            |b| drop(b.include(subscriber("parcels", acks()).threads(nonzero!(2)).build())),
            [
                "dedicated thread terminated; stopping dispatch",
                "a dedicated thread ended abnormally",
            ],
        ),
        (
            |b| {
                drop(
                    b.include(
                        subscriber("parcels", acks())
                            .threads_by_key(nonzero!(2))
                            .build(),
                    ),
                );
            },
            [
                "dedicated thread terminated; stopping dispatch",
                "a dedicated thread ended abnormally",
            ],
        ),
    ];
    for (mount, texts) in mounts {
        let yard = broken();
        let app = service().with_broker(yard.clone(), |b| {
            mount(b);
            beside(b);
        });

        let (running, logs) = outlive(&yard, app).await;
        running
            .shutdown()
            .await
            .expect("only the subscription ended");

        for text in texts {
            let line = logs.line(text);
            assert!(line.starts_with("ERROR ruststream::dispatch: "), "{line}");
        }
        assert!(logs.line(texts[0]).contains("subscription=parcels"));
        assert_eq!(yard.journal().beginning("shutdown"), ["shutdown yard"]);
    }
}
