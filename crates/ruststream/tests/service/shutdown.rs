//! What a stop waits for, and for how long.

use std::convert::Infallible;
use std::time::Duration;

use ruststream::prelude::*;
use ruststream::runtime::{BrokerScope, HealthState, Identity, RustStreamError};
use tokio::time::{Instant, sleep};

use crate::support::{
    Journal, Letter, Logs, Publish, Transport, Yard, lines, service, service_with,
};

type Scope = BrokerScope<Yard, Identity, (), Journal>;

/// Takes three seconds, and another one after it is settled.
async fn long(id: u32, journal: &Journal) -> HandlerOutcome {
    journal.note(format!("handling {id}"));
    sleep(Duration::from_secs(3)).await;
    let journal = journal.clone();
    HandlerOutcome::ack().and_after(async move {
        sleep(Duration::from_secs(1)).await;
        journal.note(format!("continued {id}"));
    })
}

#[subscriber("parcels")]
async fn slow(id: &u32, ctx: &mut Context<'_, (), Journal>) -> HandlerOutcome {
    long(*id, ctx.state()).await
}

#[subscriber("parcels")]
async fn slow_batches(ids: &[u32], ctx: &mut Context<'_, (), Journal>) -> HandlerOutcome {
    long(ids[0], ctx.state()).await
}

/// A form, how many deliveries it takes at once, and how many rounds those need.
const FORMS: [(&str, usize, u64, fn(&mut Scope)); 4] = [
    ("sequential", 1, 1, |b| drop(b.include(slow))),
    ("workers(4)", 4, 1, |b| {
        drop(b.include(slow.workers(nonzero!(4))));
    }),
    // One lane: one in process, one queued, one in the loop's hand.
    ("workers(4, by_key)", 3, 3, |b| {
        drop(b.include(slow.workers_by_key(nonzero!(4))));
    }),
    ("batches", 4, 1, |b| {
        drop(b.include(slow_batches.batch(nonzero!(4))));
    }),
];

/// Eight parcels of one key; a service that is in the middle of the first ones.
async fn in_flight(
    taken: usize,
    bound: Option<Duration>,
    mount: fn(&mut Scope),
) -> (Yard, RunningApp) {
    let yard = Yard::new(Transport::PLAIN);
    for id in 0..8 {
        yard.send("parcels", Letter::new(id).with("key", "same"));
    }
    let mut app = service_with(yard.journal().clone()).with_broker(yard.clone(), mount);
    if let Some(bound) = bound {
        app = app.shutdown_timeout(bound);
    }
    let running = app.start().await.expect("starts");
    yard.journal().until_count(1, "handling").await;
    while yard.out() < taken {
        tokio::task::yield_now().await;
    }
    (yard, running)
}

// RUN-070, RUN-073, RUN-240, RUN-283, RUN-294
#[tokio::test(start_paused = true)]
async fn a_stop_settles_what_was_taken_and_runs_what_that_left_behind() {
    for (form, taken, rounds, mount) in FORMS {
        let (yard, running) = in_flight(taken, None, mount).await;
        let (health, begun) = (running.health(), Instant::now());

        running.shutdown().await.expect("stops");

        assert_eq!(
            begun.elapsed(),
            Duration::from_secs(3 * rounds + 1),
            "{form}"
        );
        assert_eq!(health.state(), HealthState::Stopped);
        let told = yard.journal().take();
        let count = |with: &str| told.iter().filter(|line| line.starts_with(with)).count();
        assert_eq!(
            (count("ack"), count("left")),
            (taken, 0),
            "{form}: {told:?}"
        );
        // A batch has one continuation, every other delivery its own.
        assert_eq!(count("continued"), count("handling"), "{form}: {told:?}");
        assert_eq!(
            told.last().map(String::as_str),
            Some("shutdown yard"),
            "{form}"
        );
        assert_eq!(
            yard.waiting("parcels").len(),
            8 - taken,
            "{form}: nothing more was taken"
        );
    }
}

#[subscriber("parcels", reply("labels"))]
async fn answers_late(
    id: &u32,
    ctx: &mut Context<'_, (), Journal>,
    Out(out): Out<impl Publisher>,
) -> Result<String, HandlerOutcome> {
    ctx.state().note("handling");
    sleep(Duration::from_secs(3)).await;
    let sent = out.message(&id.to_string()).to("slots").publish().await;
    sent.map_err(|_| HandlerOutcome::drop())?;
    Ok(id.to_string())
}

// PUB-755, RUN-070
#[tokio::test(start_paused = true)]
async fn what_is_in_flight_at_a_stop_still_publishes_and_replies() {
    let yard = Yard::new(Transport::PLAIN);
    yard.send("parcels", Letter::new(7));
    let app = service_with(yard.journal().clone()).with_broker(yard.clone(), |b| {
        b.include(answers_late)
            .out(DefaultSlot, Publish::default())
            .build();
    });
    let running = app.start().await.expect("starts");
    yard.journal().until_line("handling").await;
    yard.journal().take();

    running.shutdown().await.expect("stops");

    let expected = [
        "publish slots \"7\"",
        "publish labels \"7\"",
        "ack 7",
        "close parcels",
        "shutdown yard",
    ];
    assert_eq!(lines(&yard.journal().take()), expected);
}

// RUN-075, RUN-240, RUN-071, trap 40
#[tokio::test(start_paused = true)]
async fn a_stop_with_a_bound_aborts_what_outlasts_it_and_says_so() {
    for (form, taken, _, mount) in FORMS {
        let bound = Duration::from_millis(500);
        let (yard, running) = in_flight(taken, Some(bound), mount).await;
        let (logs, begun) = (Logs::start(), Instant::now());

        running.shutdown().await.expect("a timeout is no error");

        assert_eq!(begun.elapsed(), bound, "{form}");
        let line = "WARN ruststream::lifecycle: graceful shutdown timed out; aborting in-flight \
                    handlers subscriptions=parcels";
        assert_eq!(logs.line("timed out"), line);
        let told = yard.journal().take();
        let count = |with: &str| told.iter().filter(|line| line.starts_with(with)).count();
        assert_eq!(
            (count("left"), count("ack"), count("continued")),
            (taken, 0, 0),
            "{form}"
        );
        assert_eq!(
            told.last().map(String::as_str),
            Some("shutdown yard"),
            "{form}"
        );
        assert_eq!(
            yard.waiting("parcels").len(),
            8,
            "{form}: all of it is still there"
        );
    }
}

// RUN-075
#[tokio::test(start_paused = true)]
async fn continuations_have_a_bound_of_their_own() {
    let (yard, running) = in_flight(4, Some(Duration::from_millis(3_500)), |b| {
        drop(b.include(slow.workers(nonzero!(4))));
    })
    .await;
    let logs = Logs::start();
    let begun = Instant::now();
    // Handlers end after three seconds, within the bound; what they left takes one, within another.
    running.shutdown().await.expect("stops");

    assert_eq!(begun.elapsed(), Duration::from_secs(4));
    assert_eq!(yard.journal().beginning("continued").len(), 4);
    assert_eq!(lines(&logs.with("timed out")), [""; 0]);

    #[subscriber("parcels")]
    async fn leaves(_id: &u32) -> HandlerOutcome {
        HandlerOutcome::ack().and_after(sleep(Duration::from_mins(1)))
    }
    let yard = Yard::new(Transport::PLAIN);
    yard.send("parcels", Letter::new(7));
    let app = service()
        .shutdown_timeout(Duration::from_secs(2))
        .with_broker(yard.clone(), |b| {
            b.include(leaves);
        });
    let running = app.start().await.expect("starts");
    yard.journal().until_line("ack 7").await;
    let begun = Instant::now();

    running.shutdown().await.expect("stops");

    assert_eq!(begun.elapsed(), Duration::from_secs(2));
    assert!(
        logs.line("abandoning in-flight continuations")
            .starts_with("WARN ruststream::lifecycle: ")
    );
    assert_eq!(
        yard.journal().take().pop().as_deref(),
        Some("shutdown yard")
    );
}

#[subscriber("parcels")]
async fn plain(_id: &u32) {}

// RUN-070 step 6, RUN-071, RUN-072, CORE-015, trap 39
#[tokio::test]
async fn every_broker_is_closed_and_the_first_error_is_the_result() {
    #[subscriber("labels")]
    async fn broken(_id: &u32) {
        panic!("broken")
    }
    let journal = Journal::default();
    let [north, east, south] =
        ["north", "east", "south"].map(|name| Yard::named(name, Transport::PLAIN, &journal));
    let app = service()
        .with_broker(north.clone(), |b| {
            b.include(plain);
            b.include(broken);
        })
        .register_broker(east.clone())
        .register_broker(south.clone());
    for yard in [&north, &east] {
        yard.fail("shutdown", 1);
    }
    let running = app.start().await.expect("starts");
    let health = running.health();
    north.send("labels", Letter::new(7));
    running.stopping().await;

    let Err(RustStreamError::Shutdown(error)) = running.shutdown().await else {
        panic!("no broker failed");
    };

    // The one that was registered last is the first to be closed.
    assert_eq!(error.to_string(), "the yard refuses: shutdown east");
    let closed = ["shutdown south", "shutdown east!", "shutdown north!"];
    assert_eq!(journal.beginning("shutdown"), closed);
    // RUN-092: what came first stays.
    let reason = "labels: handler panicked: broken".into();
    assert_eq!(health.state(), HealthState::Failed { reason });
}

// RUN-307, RUN-073
#[tokio::test(start_paused = true)]
async fn a_failure_lets_what_is_in_flight_elsewhere_finish() {
    #[subscriber("labels")]
    async fn broken(_id: &u32, _ctx: &mut Context<'_, (), Journal>) {
        panic!("broken")
    }
    let (yard, running) = in_flight(4, None, |b| {
        b.include(slow.workers(nonzero!(4)));
        b.include(broken);
    })
    .await;
    yard.send("labels", Letter::new(41));

    running.stopping().await;
    let error = running.shutdown().await.expect_err("fails").to_string();

    assert_eq!(error, "dispatch failed: labels: handler panicked: broken");
    assert_eq!(yard.journal().beginning("ack").len(), 4);
    assert_eq!(yard.journal().beginning("continued").len(), 4);
    assert_eq!(yard.journal().beginning("left"), ["left 41"]);
}

// RUN-070 step 2
#[tokio::test]
async fn hooks_of_the_stop_run_while_deliveries_are_handled_and_brokers_are_connected() {
    let yard = Yard::new(Transport::PLAIN);
    let broker = yard.clone().bindable();
    let (token, feed) = (broker.bind(Publish::default()), yard.clone());
    let app = service()
        .on_shutdown(async move |_| {
            feed.send("parcels", Letter::new(7));
            feed.journal().until_line("ack 7").await;
            let clerk = token.live().await.map_err(std::io::Error::other)?;
            clerk
                .message(&"closing".to_owned())
                .to("notices")
                .publish()
                .await
                .map_err(std::io::Error::other)
        })
        .with_broker(broker, |b| {
            b.include(plain);
        });
    let running = app.start().await.expect("starts");

    running.shutdown().await.expect("stops");

    assert_eq!(yard.waiting("notices")[0].text(), "\"closing\"");
    assert_eq!(yard.journal().beginning("shutdown"), ["shutdown yard"]);
}

// RUN-034
#[tokio::test]
async fn a_dropped_handle_is_no_stop() {
    let yard = Yard::new(Transport::PLAIN);
    let app = service()
        .on_shutdown(async |_| -> Result<(), Infallible> { unreachable!("nobody stops it") })
        .with_broker(yard.clone(), |b| {
            b.include(plain);
        });
    let running = app.start().await.expect("starts");
    let health = running.health();

    drop(running);
    yard.send("parcels", Letter::new(7));
    yard.journal().until_line("ack 7").await;

    assert_eq!(health.state(), HealthState::Running);
    assert_eq!(yard.journal().beginning("shutdown"), [""; 0]);
}
