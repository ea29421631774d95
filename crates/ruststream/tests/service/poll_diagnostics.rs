//! How long bodies compute between two awaits.

use std::num::NonZeroU32;
use std::time::{Duration, Instant};

use ruststream::prelude::*;
use ruststream::runtime::{BrokerScope, PollDiagnostics};
use tokio::task::yield_now;

use crate::support::{Logs, Transport, Yard, service};

/// Computes for so many milliseconds in each of so many polls.
#[derive(Clone, Copy)]
struct Busy {
    polls: u32,
    millis: u64,
}

impl Busy {
    async fn compute(self) {
        for poll in 1..=self.polls {
            let begun = Instant::now();
            while begun.elapsed() < Duration::from_millis(self.millis) {
                std::hint::spin_loop();
            }
            if poll < self.polls {
                yield_now().await;
            }
        }
    }
}

impl Handle<u32> for Busy {
    async fn handle(
        &self,
        _number: &u32,
        (): &(),
        _ctx: &mut Context<'_>,
    ) -> Result<(), HandlerOutcome> {
        self.compute().await;
        Ok(())
    }
}

/// The same for batches.
#[derive(Clone, Copy)]
struct BusyBatch(Busy);

impl Handle<[u32]> for BusyBatch {
    async fn handle(
        &self,
        _numbers: &[u32],
        (): &(),
        _ctx: &mut Context<'_>,
    ) -> Result<(), Vec<HandlerOutcome>> {
        self.0.compute().await;
        Ok(())
    }
}

const IDLE: Busy = Busy {
    polls: 1,
    millis: 0,
};

fn every(polls: u32) -> NonZeroU32 {
    NonZeroU32::new(polls).expect("not zero")
}

/// Handles `count` numbers with a service that leaves its timings in `polls`.
async fn run(polls: &PollDiagnostics, count: u32, mount: impl FnOnce(&mut BrokerScope<Yard>)) {
    let yard = Yard::new(Transport::PLAIN);
    yard.send_all("parcels", 0..count);
    let app = service()
        .poll_diagnostics(polls.clone())
        .with_broker(yard.clone(), mount);
    let running = app.start().await.expect("starts");
    yard.journal().until_count(count as usize, "ack").await;
    running.shutdown().await.expect("stops");
}

// RUN-470, RUN-471, RUN-012
#[tokio::test]
async fn polls_are_timed_one_in_so_many_and_read_by_the_name_of_the_subscription() {
    let three = Busy {
        polls: 3,
        millis: 0,
    };
    for (nth, samples) in [(1, 30), (2, 15), (10, 3), (31, 0)] {
        let polls = PollDiagnostics::new().sample_every(every(nth));
        assert_eq!(polls.report("parcels"), None);

        run(&polls, 10, |b| {
            b.include(subscriber("parcels", three).build());
            b.include(subscriber("labels", IDLE).build());
        })
        .await;

        let report = polls.report("parcels").expect("it opened");
        assert_eq!(
            (report.subscription(), report.samples()),
            ("parcels", samples),
            "one in {nth}"
        );
        let reports = polls.reports();
        let names: Vec<_> = reports
            .iter()
            .map(ruststream::runtime::PollReport::subscription)
            .collect();
        assert_eq!(names, ["parcels", "labels"], "in the order they opened");
        assert_eq!(reports[1].samples(), 0);
    }
}

// RUN-471
#[tokio::test]
async fn the_average_and_the_p99_tell_how_long_polls_are() {
    let polls = PollDiagnostics::new().sample_every(every(1));

    run(&polls, 20, |b| {
        b.include(
            subscriber(
                "parcels",
                Busy {
                    polls: 1,
                    millis: 2,
                },
            )
            .build(),
        );
    })
    .await;

    let report = polls.report("parcels").expect("it opened");
    assert_eq!(report.samples(), 20);
    assert!(report.average() >= Duration::from_millis(2), "{report:?}");
    // Between the bounds of the bucket that the longest is in, or beyond.
    assert!(report.p99() > Duration::from_millis(1), "{report:?}");
}

const TOLD: &str = "computes for long between awaits";

// RUN-472
#[tokio::test]
async fn a_body_that_computes_for_long_is_told_once_with_the_way_out() {
    let polls = PollDiagnostics::new()
        .sample_every(every(1))
        .threshold(Duration::from_millis(1));
    let logs = Logs::start();
    let slow = Busy {
        polls: 1,
        millis: 2,
    };

    run(&polls, 15, |b| {
        drop(b.include(subscriber("parcels", slow).build()));
    })
    .await;
    assert_eq!(logs.with(TOLD).len(), 0, "fifteen samples say nothing");
    run(&polls, 30, |b| {
        drop(b.include(subscriber("parcels", slow).build()));
    })
    .await;

    let line = logs.line(TOLD);
    assert!(line.starts_with("WARN ruststream::dispatch: "), "{line}");
    for part in [
        "threads(n)",
        "subscription=parcels",
        "average=",
        "p99=",
        "threshold=1ms",
    ] {
        assert!(line.contains(part), "{line}");
    }
}

// RUN-472
#[tokio::test]
async fn a_body_that_fell_back_below_the_threshold_is_told_about_again() {
    let polls = PollDiagnostics::new()
        .sample_every(every(1))
        .threshold(Duration::from_millis(10));
    let logs = Logs::start();
    let slow = Busy {
        polls: 1,
        millis: 15,
    };

    for (body, count) in [(slow, 20), (IDLE, 60), (slow, 40)] {
        run(&polls, count, |b| {
            drop(b.include(subscriber("parcels", body).build()));
        })
        .await;
    }

    assert_eq!(logs.with(TOLD).len(), 2);
}

// RUN-472, RUN-473
#[tokio::test]
async fn bodies_on_threads_are_timed_and_not_complained_about() {
    let polls = PollDiagnostics::new()
        .sample_every(every(1))
        .threshold(Duration::from_micros(1));
    let slow = Busy {
        polls: 1,
        millis: 1,
    };
    let logs = Logs::start();

    run(&polls, 40, |b| {
        b.include(subscriber("parcels", slow).threads(nonzero!(1)).build());
    })
    .await;

    assert_eq!(polls.report("parcels").expect("it opened").samples(), 40);
    assert_eq!(logs.with(TOLD).len(), 0);
}

// RUN-473
#[tokio::test]
async fn each_thread_counts_down_by_itself_and_workers_together() {
    // They alternate strictly, so neither thread comes to its twentieth poll.
    let polls = PollDiagnostics::new().sample_every(every(20));
    run(&polls, 30, |b| {
        b.include(
            subscriber("parcels", IDLE)
                .threads_by_key(nonzero!(2))
                .build(),
        );
    })
    .await;
    assert_eq!(polls.report("parcels").expect("it opened").samples(), 0);

    let polls = PollDiagnostics::new().sample_every(every(20));
    run(&polls, 30, |b| {
        b.include(subscriber("parcels", IDLE).workers(nonzero!(2)).build());
    })
    .await;
    assert_eq!(polls.report("parcels").expect("it opened").samples(), 1);
}

// RUN-473
#[tokio::test]
async fn batches_are_timed_and_subscriptions_of_one_name_share_an_entry() {
    let polls = PollDiagnostics::new().sample_every(every(1));
    run(&polls, 12, |b| {
        b.include(
            subscriber("parcels", BusyBatch(IDLE))
                .batch(nonzero!(4))
                .build(),
        );
    })
    .await;
    assert_eq!(polls.report("parcels").expect("it opened").samples(), 3);

    run(&polls, 10, |b| {
        b.include(subscriber("parcels", IDLE).build());
        b.include(subscriber("parcels", IDLE).threads(nonzero!(1)).build());
    })
    .await;
    assert_eq!(polls.reports().len(), 1);
    assert_eq!(
        polls.report("parcels").expect("it opened").samples(),
        3 + 10
    );
}
