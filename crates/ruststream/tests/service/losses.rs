//! What goes wrong around a delivery loses nothing that the broker still holds.

use std::collections::BTreeSet;
use std::time::Duration;

use ruststream::prelude::*;
use ruststream::runtime::BrokerScope;
use tokio::time::Instant;

use crate::support::{
    Letter, Logs, Transport, Yard, answers, answers_each, copies, dealings, lines, serve, service,
};

const NOT_SENT: &str = "publishing the retry copy failed";

/// Runs a service until so many deliveries were acked; what happened to them, and how long it took.
async fn until_acked(
    yard: &Yard,
    acks: usize,
    mount: impl FnOnce(&mut BrokerScope<Yard>),
) -> (Vec<String>, Duration) {
    let served = serve(yard, acks, "ack ", mount).await;
    served.result.expect("stops");
    (served.dealings, served.took)
}

/// Retries what no copy brought back yet.
fn once_more() -> impl Handle<u32> {
    answers(|_, ctx| match copies(ctx) {
        0 => HandlerOutcome::retry(),
        _ => HandlerOutcome::ack(),
    })
}

// RUN-344, PUB-125, trap 6
#[tokio::test(start_paused = true)]
async fn a_retry_copy_that_does_not_leave_gives_the_delivery_back_at_a_growing_pace() {
    let yard = Yard::new(Transport::PLAIN);
    yard.send("parcels", Letter::new(7));
    yard.fail("publish parcels", 2);
    let logs = Logs::start();

    let (dealings, took) = until_acked(&yard, 1, |b| {
        b.include(subscriber("parcels", once_more()).build())
            .max_attempts(nonzero!(5u32));
    })
    .await;

    let expected = [
        "publish parcels 7 x-ruststream-retry-count=1!",
        "requeue 7",
        "publish parcels 7 x-ruststream-retry-count=1!",
        "requeue 7",
        "publish parcels 7 x-ruststream-retry-count=1",
        "drop 7",
        "ack 7",
    ];
    assert_eq!(lines(&dealings), expected);
    assert_eq!(took, Duration::from_secs(1 + 2));
    let warnings = logs.with(NOT_SENT);
    assert_eq!(warnings.len(), 2);
    let warning = &warnings[0];
    assert!(
        warning.starts_with("WARN ruststream::dispatch: "),
        "{warning}"
    );
    for field in [
        "subscription=parcels",
        "destination=parcels",
        "error=",
        "returned=true",
    ] {
        assert!(warning.contains(field), "{warning}");
    }
}

// RUN-344
#[tokio::test(start_paused = true)]
async fn a_transport_that_holds_delays_is_given_the_delivery_for_the_while() {
    let yard = Yard::new(Transport {
        holds: true,
        ..Transport::PLAIN
    });
    yard.send("parcels", Letter::new(7));
    yard.fail("publish parcels", 2);

    let (dealings, took) = until_acked(&yard, 2, |b| {
        yard.send(
            "parcels",
            Letter::new(8).with("x-ruststream-retry-count", "1"),
        );
        b.include(subscriber("parcels", once_more()).build())
            .max_attempts(nonzero!(5u32));
    })
    .await;

    let expected = [
        "publish parcels 7 x-ruststream-retry-count=1!",
        "after 1s 7",
        // The loop did not wait.
        "ack 8",
        "publish parcels 7 x-ruststream-retry-count=1!",
        "after 2s 7",
        "publish parcels 7 x-ruststream-retry-count=1",
        "drop 7",
        "ack 7",
    ];
    assert_eq!(lines(&dealings), expected);
    assert_eq!(took, Duration::from_secs(1 + 2));
}

// RUN-344, RUN-346, RUN-347, PUB-125
#[tokio::test(start_paused = true)]
async fn a_dead_letter_that_does_not_leave_gives_the_delivery_back_and_leaves_later() {
    let yard = Yard::new(Transport::FULL);
    yard.send("parcels", Letter::new(7).with("tenant", "north"));
    yard.send("parcels", Letter::new(8));
    yard.fail("publish parcels.dead", 1);
    let logs = Logs::start();

    let (first, _) = until_acked(&yard, 1, |b| {
        let body = answers(|number, _| match number {
            7 => HandlerOutcome::retry(),
            _ => HandlerOutcome::ack(),
        });
        b.include(subscriber("parcels", body).build())
            .max_attempts(nonzero!(1u32))
            .dead_letter("parcels.dead");
    })
    .await;
    // The stop waits for nothing that the transport holds, so the delivery is still there.
    let expected = [
        "publish parcels.dead 7 tenant=north!",
        "after 1s 7",
        "ack 8",
    ];
    assert_eq!(lines(&first), expected);
    assert!(logs.line(NOT_SENT).contains("destination=parcels.dead"));

    // Another service finds it, used up, and carries it away without a run (RUN-351).
    let running = service()
        .with_broker(yard.clone(), |b| {
            let body = answers(|_, _| panic!("its attempts are used up"));
            b.include(subscriber("parcels", body).build())
                .max_attempts(nonzero!(1u32))
                .dead_letter("parcels.dead");
        })
        .start()
        .await
        .expect("starts");
    yard.journal().until_line("drop 7").await;
    running.shutdown().await.expect("stops");
    assert_eq!(
        lines(&dealings(&yard)),
        ["publish parcels.dead 7 tenant=north", "drop 7"]
    );
}

// RUN-344
#[tokio::test(start_paused = true)]
async fn a_delivery_that_nothing_can_bring_back_is_told_as_lost() {
    let yard = Yard::new(Transport::BARE);
    yard.send("parcels", Letter::new(7));
    yard.send(
        "parcels",
        Letter::new(8).with("x-ruststream-retry-count", "1"),
    );
    yard.fail("publish parcels", 1);
    let logs = Logs::start();

    let (dealings, _) = until_acked(&yard, 1, |b| {
        b.include(subscriber("parcels", once_more()).build())
            .max_attempts(nonzero!(5u32));
    })
    .await;

    let expected = [
        "publish parcels 7 x-ruststream-retry-count=1!",
        "requeue 7",
        "ack 8",
    ];
    assert_eq!(lines(&dealings), expected);
    let line = logs.line(NOT_SENT);
    assert!(
        line.starts_with("ERROR ") && line.contains("lost=true"),
        "{line}"
    );
}

// RUN-344
#[tokio::test(start_paused = true)]
async fn a_hand_back_that_fails_leaves_the_delivery_to_the_broker() {
    let yard = Yard::new(Transport::PLAIN);
    yard.send("parcels", Letter::new(7));
    yard.fail("publish parcels", 1);
    yard.fail("requeue 7", 1);
    let logs = Logs::start();

    until_acked(&yard, 1, |b| {
        b.include(subscriber("parcels", once_more()).build())
            .max_attempts(nonzero!(5u32));
    })
    .await;

    let line = logs.line(NOT_SENT);
    assert!(
        line.starts_with("WARN ") && line.contains("returned=false"),
        "{line}"
    );
}

// RUN-344, RUN-240
#[tokio::test(start_paused = true)]
async fn a_stop_does_not_wait_out_the_pace() {
    let yard = Yard::new(Transport::PLAIN);
    yard.send("parcels", Letter::new(7));
    yard.fail("publish parcels", 1);
    let app = service().with_broker(yard.clone(), |b| {
        b.include(subscriber("parcels", once_more()).build())
            .max_attempts(nonzero!(5u32));
    });
    let running = app.start().await.expect("starts");
    yard.journal().until_count(1, "publish").await;

    let begun = Instant::now();
    running.shutdown().await.expect("stops");

    assert_eq!(begun.elapsed(), Duration::ZERO);
    assert_eq!(lines(&dealings(&yard))[1..], ["requeue 7"]);
    assert_eq!(yard.waiting("parcels").len(), 1);
}

/// Retries after five seconds what no copy brought back yet.
fn later() -> impl Handle<u32> {
    answers(|_, ctx| match copies(ctx) {
        0 => HandlerOutcome::retry_after(Duration::from_secs(5)),
        _ => HandlerOutcome::ack(),
    })
}

// RUN-344, RUN-333
#[tokio::test(start_paused = true)]
async fn a_delayed_copy_has_three_further_tries() {
    let yard = Yard::new(Transport::PLAIN);
    yard.send("parcels", Letter::new(7));
    yard.fail("publish parcels", 3);

    let (dealings, took) = until_acked(&yard, 1, |b| {
        drop(b.include(subscriber("parcels", later()).build()));
    })
    .await;

    let failed = "publish parcels 7 x-ruststream-retry-count=1!";
    let sent = "publish parcels 7 x-ruststream-retry-count=1";
    assert_eq!(
        lines(&dealings),
        ["drop 7", failed, failed, failed, sent, "ack 7"]
    );
    assert_eq!(took, Duration::from_millis(5_000 + 100 + 400 + 1_600));
}

// RUN-344, RUN-077
#[tokio::test(start_paused = true)]
async fn a_delayed_copy_that_never_leaves_is_told_as_lost() {
    let yard = Yard::new(Transport::PLAIN);
    yard.send("parcels", Letter::new(7));
    yard.fail("publish parcels", 9);
    let logs = Logs::start();
    let app = service().with_broker(yard.clone(), |b| {
        b.include(subscriber("parcels", later()).build());
    });
    let running = app.start().await.expect("starts");
    yard.journal().until_line("drop 7").await;

    running.shutdown().await.expect("stops");

    assert_eq!(dealings(&yard).len(), 1 + 4);
    let line = logs.line(NOT_SENT);
    assert!(
        line.starts_with("ERROR ") && line.contains("lost=true"),
        "{line}"
    );
}

// RUN-344, RUN-282, trap 6
#[tokio::test(start_paused = true)]
async fn an_original_that_is_not_let_go_has_no_delayed_copy() {
    let yard = Yard::new(Transport::PLAIN);
    yard.send("parcels", Letter::new(7));
    yard.fail("drop 7", 1);
    let logs = Logs::start();

    let (dealings, _) = until_acked(&yard, 1, |b| {
        drop(b.include(subscriber("parcels", later()).build()));
    })
    .await;

    let copy = "publish parcels 7 x-ruststream-retry-count=1";
    assert_eq!(lines(&dealings), ["drop 7!", "drop 7", copy, "ack 7"]);
    assert!(
        logs.line("ack / nack failed")
            .starts_with("WARN ruststream::dispatch: ")
    );
}

// RUN-344, RUN-282, RUN-350, trap 6
#[tokio::test(start_paused = true)]
async fn a_transport_that_settles_nothing_still_gets_its_copies() {
    for (delay, unsettled) in [(0, 2), (5, 1)] {
        let yard = Yard::new(Transport::BARE);
        yard.send("parcels", Letter::new(7));
        let logs = Logs::start();

        let (dealings, took) = until_acked(&yard, 1, |b| {
            let body = answers(move |_, ctx| match copies(ctx) {
                0 => HandlerOutcome::retry_after(Duration::from_secs(delay)),
                _ => HandlerOutcome::ack(),
            });
            b.include(subscriber("parcels", body).build())
                .max_attempts(nonzero!(5u32));
        })
        .await;

        let copy = "publish parcels 7 x-ruststream-retry-count=1";
        let expected = if delay == 0 {
            [copy, "drop 7"]
        } else {
            ["drop 7", copy]
        };
        assert_eq!(lines(&dealings)[..2], expected);
        assert_eq!(took, Duration::from_secs(delay));
        // The ack of the copy, and the drop of the original unless a delayed copy stands for it.
        let lines = logs.with("ack / nack failed");
        assert_eq!(lines.len(), unsettled);
        // A service is warned once, and not for each delivery.
        assert!(lines[0].starts_with("WARN "), "{lines:?}");
        assert!(lines[1..].iter().all(|line| line.starts_with("TRACE ")));
    }
}

// RUN-282, RUN-283
#[tokio::test]
async fn a_settlement_that_fails_is_logged_and_everything_goes_on() {
    let yard = Yard::new(Transport::PLAIN);
    yard.send_all("parcels", [7, 8]);
    yard.fail("ack 7", 1);
    let (logs, journal) = (Logs::start(), yard.journal().clone());

    let (dealings, _) = until_acked(&yard, 3, |b| {
        let body = answers(move |number, ctx| {
            let (hook, after) = (journal.clone(), journal.clone());
            ctx.after_ack(async move { hook.note(format!("hook {number}")) });
            HandlerOutcome::ack().and_after(async move { after.note(format!("after {number}")) })
        });
        b.include(subscriber("parcels", body).build());
    })
    .await;

    assert_eq!(
        dealings.iter().filter(|line| *line == "hook 7").count(),
        2,
        "{dealings:?}"
    );
    assert_eq!(
        dealings.iter().filter(|line| *line == "after 7").count(),
        2,
        "{dealings:?}"
    );
    let line = logs.line("ack / nack failed");
    assert!(
        line.contains("subscription=parcels") && line.contains("error="),
        "{line}"
    );
}

/// The numbers of the messages that were acked or are dead.
fn accounted(yard: &Yard) -> BTreeSet<u32> {
    let acked = yard.journal().beginning("ack ");
    let acked = acked.iter().map(|line| line["ack ".len()..].to_owned());
    let dead = yard
        .waiting("parcels.dead")
        .into_iter()
        .map(|letter| letter.text());
    acked
        .chain(dead)
        .map(|number| number.parse().expect("a number"))
        .collect()
}

/// Some publishes are refused, and some settlements.
async fn survive_a_bad_day(transport: Transport, mount: impl FnOnce(&mut BrokerScope<Yard>)) {
    let yard = Yard::new(transport);
    yard.send_all("parcels", 0..200);
    for number in (0..200).step_by(10) {
        yard.fail(format!("publish parcels {number}"), 1);
        yard.fail(format!("publish parcels.dead {number}"), 1);
    }
    for number in (0..200).step_by(7) {
        yard.fail(format!("drop {number}"), 1);
        yard.fail(format!("requeue {number}"), 1);
    }
    let app = service().with_broker(yard.clone(), mount);
    let running = app.start().await.expect("starts");

    yard.journal()
        .until(|_| accounted(&yard).len() == 200)
        .await;

    running.shutdown().await.expect("stops");
    assert!(accounted(&yard).into_iter().eq(0..200));
}

fn answer(number: u32) -> HandlerOutcome {
    match number % 5 {
        0 => HandlerOutcome::retry(),
        1 => HandlerOutcome::retry_after(Duration::from_secs(3)),
        _ => HandlerOutcome::ack(),
    }
}

const TRANSPORTS: [Transport; 2] = [Transport::PLAIN, Transport::FULL];

// RUN-344, RUN-351, RUN-240
#[tokio::test(start_paused = true)]
async fn nothing_is_lost_where_copies_and_settlements_fail_now_and_then() {
    for transport in TRANSPORTS {
        survive_a_bad_day(transport, |b| {
            let body = answers(|number, _| answer(number));
            b.include(subscriber("parcels", body).workers(nonzero!(4)).build())
                .max_attempts(nonzero!(3u32))
                .dead_letter("parcels.dead");
        })
        .await;
    }
}

// RUN-344, RUN-364
#[tokio::test(start_paused = true)]
async fn nothing_of_a_batch_is_lost_where_copies_and_settlements_fail_now_and_then() {
    for transport in TRANSPORTS {
        survive_a_bad_day(transport, |b| {
            let body = answers_each(|numbers| numbers.iter().copied().map(answer).collect());
            b.include(subscriber("parcels", body).batch(nonzero!(16)).build())
                .max_attempts(nonzero!(3u32))
                .dead_letter("parcels.dead");
        })
        .await;
    }
}
