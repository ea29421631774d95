//! Retries end to end: who counts, what waits, what ends them.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use ruststream::memory::prelude::*;
use ruststream::runtime::{HandlerMetadata, RETRY_COUNT_HEADER};
use ruststream::{ConnectedBroker, HeaderMap, OutgoingMessage, Subscribe};

use crate::support::{
    Journal, Lane, Letter, Logs, Transport, Yard, answers, copies, lines, serve, service,
    service_with,
};

const NO_DEAD_LETTER: &str =
    "retry attempts exhausted and no dead-letter destination is declared; rejecting the delivery";
const DEAD_LETTER: &str =
    "retry attempts exhausted; publishing the delivery to the dead-letter destination";

/// It counts, and holds nothing back.
const COUNTS: Transport = Transport {
    counts: true,
    ..Transport::PLAIN
};
/// It holds back, and counts nothing.
const HOLDS: Transport = Transport {
    holds: true,
    ..Transport::PLAIN
};

fn retries() -> impl Handle<u32> {
    answers(|_, _| HandlerOutcome::retry())
}

fn retries_after(seconds: u64) -> impl Handle<u32> {
    answers(move |_, _| HandlerOutcome::retry_after(Duration::from_secs(seconds)))
}

// RUN-336, RUN-340, RUN-341, RUN-344 to RUN-347
#[tokio::test]
async fn where_the_transport_counts_nothing_copies_count_themselves() {
    let yard = Yard::new(Transport::PLAIN);
    let sent = Letter::new(7)
        .with("tenant", "north")
        .with("bytes", b"\x00\xfe");
    yard.send("parcels", sent.clone());
    let (logs, journal) = (Logs::start(), yard.journal().clone());

    let served = serve(&yard, 3, "drop 7", |b| {
        let body = answers(move |number, ctx| {
            journal.note(format!("run {number} with {} copies", copies(ctx)));
            HandlerOutcome::retry()
        });
        b.include(subscriber("parcels", body).build())
            .max_attempts(nonzero!(3u32))
            .dead_letter("parcels.dead");
    })
    .await;

    let expected = [
        "run 7 with 0 copies",
        "publish parcels 7 tenant=north bytes=\0\u{fffd} x-ruststream-retry-count=1",
        "drop 7",
        "run 7 with 1 copies",
        "publish parcels 7 tenant=north bytes=\0\u{fffd} x-ruststream-retry-count=2",
        "drop 7",
        "run 7 with 2 copies",
        "publish parcels.dead 7 tenant=north bytes=\0\u{fffd} x-ruststream-retry-count=2",
        "drop 7",
    ];
    assert_eq!(lines(&served.dealings), expected);
    let dead = &yard.waiting("parcels.dead")[0];
    let arrived = sent.with(RETRY_COUNT_HEADER, "2");
    assert_eq!(
        (&dead.payload, &dead.headers),
        (&arrived.payload, &arrived.headers)
    );
    let line = logs.line(DEAD_LETTER);
    assert!(line.starts_with("WARN ruststream::dispatch: "), "{line}");
    assert!(
        line.ends_with("subscription=parcels attempt=3 dead_letter=parcels.dead"),
        "{line}"
    );
}

// RUN-340, RUN-341, RUN-346, trap 7
#[tokio::test]
async fn where_the_transport_counts_the_header_means_nothing_and_stays_as_it_is() {
    let yard = Yard::new(COUNTS);
    yard.send("parcels", Letter::new(7).with(RETRY_COUNT_HEADER, "7"));

    let served = serve(&yard, 1, "drop 7", |b| {
        b.include(subscriber("parcels", retries()).build())
            .max_attempts(nonzero!(3u32))
            .dead_letter("parcels.dead");
    })
    .await;

    let dead = "publish parcels.dead 7 x-ruststream-retry-count=7";
    assert_eq!(
        lines(&served.dealings),
        ["requeue 7", "requeue 7", dead, "drop 7"]
    );
}

// RUN-341, RUN-347
#[tokio::test]
async fn without_a_dead_letter_the_last_attempt_is_rejected() {
    for (transport, before) in [
        (COUNTS, &["requeue 7"][..]),
        (
            Transport::PLAIN,
            &["publish parcels 7 x-ruststream-retry-count=1", "drop 7"],
        ),
    ] {
        let yard = Yard::new(transport);
        yard.send("parcels", Letter::new(7));
        let logs = Logs::start();

        let drops = before
            .iter()
            .filter(|line| line.starts_with("drop"))
            .count()
            + 1;
        let served = serve(&yard, drops, "drop 7", |b| {
            b.include(subscriber("parcels", retries()).build())
                .max_attempts(nonzero!(2u32));
        })
        .await;

        assert_eq!(lines(&served.dealings), [before, &["drop 7"]].concat());
        assert!(
            logs.line(NO_DEAD_LETTER)
                .ends_with("subscription=parcels attempt=2")
        );
    }
}

// RUN-341, RUN-342, RUN-343, RUN-347, trap 3
#[tokio::test(start_paused = true)]
async fn a_dead_letter_without_a_cap_takes_every_retry_but_not_a_delay_that_is_held() {
    let cases = [
        (
            Transport::FULL,
            None,
            &["publish parcels.dead 7", "drop 7"][..],
        ),
        (
            Transport::PLAIN,
            Some(5),
            &["publish parcels.dead 7", "drop 7"],
        ),
        (HOLDS, Some(5), &["after 5s 7", "after 5s 7"]),
    ];
    for (transport, delay, expected) in cases {
        let yard = Yard::new(transport);
        yard.send("parcels", Letter::new(7));
        let logs = Logs::start();

        let last = expected[expected.len() - 1];
        let times = expected.iter().filter(|line| **line == last).count();
        let served = serve(&yard, times, last, |b| {
            let body = answers(move |_, _| match delay {
                None => HandlerOutcome::retry(),
                Some(seconds) => HandlerOutcome::retry_after(Duration::from_secs(seconds)),
            });
            b.include(subscriber("parcels", body).build())
                .dead_letter("parcels.dead");
        })
        .await;

        assert_eq!(lines(&served.dealings), expected);
        assert_eq!(logs.with("exhausted"), [""; 0]);
    }
}

// RUN-333, RUN-343, RUN-345, RUN-223
#[tokio::test(start_paused = true)]
async fn a_delay_that_the_transport_cannot_hold_is_waited_out_beside_the_loop() {
    let yard = Yard::new(Transport::PLAIN);
    yard.send_all("parcels", [7, 8]);

    let served = serve(&yard, 1, "publish parcels.dead", |b| {
        let body = answers(|number, _| match number {
            7 => HandlerOutcome::retry_after(Duration::from_secs(5)),
            _ => HandlerOutcome::ack(),
        });
        b.include(subscriber("parcels", body).build())
            .max_attempts(nonzero!(3u32))
            .dead_letter("parcels.dead");
    })
    .await;

    let expected = [
        "drop 7",
        "ack 8",
        "publish parcels 7 x-ruststream-retry-count=1",
        "drop 7",
        "publish parcels 7 x-ruststream-retry-count=2",
        // At the cap the delay is ignored.
        "publish parcels.dead 7 x-ruststream-retry-count=2",
        "drop 7",
    ];
    assert_eq!(lines(&served.dealings), expected);
    assert_eq!(served.took, Duration::from_secs(5 + 5));
}

// RUN-342, trap 3
#[tokio::test(start_paused = true)]
async fn a_delay_that_the_transport_holds_is_asked_of_it_until_the_cap() {
    let yard = Yard::new(Transport::FULL);
    yard.send("parcels", Letter::new(7));

    let served = serve(&yard, 1, "publish parcels.dead", |b| {
        b.include(subscriber("parcels", retries_after(5)).build())
            .max_attempts(nonzero!(3u32))
            .dead_letter("parcels.dead");
    })
    .await;

    let dead = "publish parcels.dead 7";
    assert_eq!(
        lines(&served.dealings),
        ["after 5s 7", "after 5s 7", dead, "drop 7"]
    );
    assert_eq!(served.took, Duration::from_secs(5 + 5));
}

// RUN-342, RUN-282
#[tokio::test(start_paused = true)]
async fn a_delay_that_the_transport_refuses_is_logged_and_no_copy_replaces_it() {
    let yard = Yard::new(Transport::FULL);
    yard.send("parcels", Letter::new(7));
    yard.fail("after 5s 7", 1);
    let logs = Logs::start();

    let served = serve(&yard, 2, "after 5s 7", |b| {
        b.include(subscriber("parcels", retries_after(5)).build())
            .max_attempts(nonzero!(9u32));
    })
    .await;

    assert_eq!(lines(&served.dealings), ["after 5s 7!", "after 5s 7"]);
    assert!(
        logs.line("ack / nack failed")
            .contains("subscription=parcels")
    );
}

// RUN-333, RUN-344, trap 8
#[tokio::test]
async fn a_delay_of_zero_is_a_copy_before_the_next_delivery_is_taken() {
    let yard = Yard::new(Transport::PLAIN);
    yard.send_all("parcels", [7, 8]);

    let served = serve(&yard, 2, "ack ", |b| {
        let body = answers(|number, ctx| match (number, copies(ctx)) {
            (7, 0) => HandlerOutcome::retry_after(Duration::ZERO),
            _ => HandlerOutcome::ack(),
        });
        b.include(subscriber("parcels", body).build());
    })
    .await;

    let copy = "publish parcels 7 x-ruststream-retry-count=1";
    assert_eq!(lines(&served.dealings), [copy, "drop 7", "ack 8", "ack 7"]);
}

// RUN-077, RUN-070 step 5
#[tokio::test(start_paused = true)]
async fn a_copy_that_waits_out_its_delay_leaves_before_an_orderly_stop_closes_the_broker() {
    let yard = Yard::new(Transport::PLAIN);
    yard.send("parcels", Letter::new(7));
    let app = service().with_broker(yard.clone(), |b| {
        b.include(subscriber("parcels", retries_after(5)).build());
    });
    let running = app.start().await.expect("starts");
    yard.journal().until_line("drop 7").await;

    running.shutdown().await.expect("stops");

    let told = yard.journal().take();
    let (copy, shut) = (
        "publish parcels 7 x-ruststream-retry-count=1",
        "shutdown yard",
    );
    assert_eq!(lines(&told[told.len() - 2..]), [copy, shut]);
}

// RUN-341, RUN-343, RUN-331, trap 4
#[tokio::test]
async fn a_broker_that_moves_deliveries_itself_is_told_and_never_capped_here() {
    for transport in [Transport::PLAIN, COUNTS] {
        let yard = Yard::new(transport);
        yard.send("parcels", Letter::new(7).with(RETRY_COUNT_HEADER, "9"));
        let logs = Logs::start();
        let journal = yard.journal().clone();

        serve(&yard, 20, "requeue 7", |b| {
            let runs = AtomicU32::new(0);
            let body = answers(move |_, _| match runs.fetch_add(1, Ordering::Relaxed) % 2 {
                0 => HandlerOutcome::retry(),
                _ => HandlerOutcome::retry_after(Duration::from_secs(5)),
            });
            b.include(subscriber(Lane::new("parcels"), body).build())
                .max_attempts(nonzero!(3u32))
                .dead_letter("parcels.dead");
        })
        .await;

        assert_eq!(journal.beginning("publish"), [""; 0]);
        assert_eq!(yard.waiting("parcels").len(), 1);
        let dropped = logs.with("requeuing immediately (the delay is dropped)");
        assert!(
            dropped
                .iter()
                .all(|line| line.starts_with("WARN ruststream::dispatch: "))
        );
    }
}

// RUN-330, RUN-051, RUN-348, trap 11
#[tokio::test]
async fn a_declaration_reaches_the_broker_the_descriptor_and_the_log() {
    let yard = Yard::new(Transport::PLAIN);
    let logs = Logs::start();
    let app = service().with_broker(yard.clone(), |b| {
        b.include(subscriber(Lane::new("moved"), retries()).build())
            .dead_letter("moved.dead")
            .max_attempts(nonzero!(3u32));
        b.include(subscriber("parcels", retries()).build())
            .max_attempts(nonzero!(2u32));
        b.include(subscriber(Lane::new("silent"), retries()).build());
    });
    let retry: Vec<_> = app
        .handlers()
        .iter()
        .map(|meta| meta.retry.clone())
        .collect();
    assert_eq!(retry[0].dead_letter(), Some("moved.dead"));
    assert_eq!(retry[1].max_attempts(), Some(nonzero!(2u32)));
    assert!(retry[2].declares_nothing());

    let running = app.start().await.expect("starts");
    running.shutdown().await.expect("stops");

    let declared = yard.journal().beginning("declare");
    let on_descriptor = |told: &str| format!("declared [RetryDeclaration {{ {told} }}]");
    assert_eq!(declared[0], "declare on moved Some(3) moved.dead");
    assert_eq!(
        declared[1],
        on_descriptor("max_attempts: Some(3), dead_letter: Some(\"moved.dead\")")
    );
    assert_eq!(declared[2], "declare on parcels Some(2) none");
    // Once, also where nothing is declared.
    assert_eq!(
        declared[3],
        on_descriptor("max_attempts: None, dead_letter: None")
    );
    assert_eq!(declared.len(), 4);
    let announced = logs.with("INFO ruststream::retry: ");
    assert_eq!(announced.len(), 2);
    assert!(
        announced[0].contains("subscription=moved")
            && announced[0].contains("applied_by=\"broker\"")
    );
    assert!(
        announced[1].contains("subscription=parcels")
            && announced[1].contains("applied_by=\"runtime\"")
    );
}

// RUN-104, RUN-341, RUN-343
#[tokio::test]
async fn a_raw_subscriber_has_no_copy_path() {
    let yard = Yard::new(Transport::PLAIN);
    yard.send("parcels", Letter::new(7));
    let logs = Logs::start();
    let connected = yard.clone().connect().await.expect("connects");
    let parcels = Subscribe::subscribe(&connected, "parcels")
        .await
        .expect("opens");

    let served = serve(&yard, 2, "requeue 7", |b| {
        b.handle(
            parcels,
            |_: &crate::support::Delivery, _: &mut Context<'_>| async {
                HandlerOutcome::retry_after(Duration::from_secs(5))
            },
            HandlerMetadata::raw("parcels"),
        );
    })
    .await;

    assert_eq!(lines(&served.dealings)[..2], ["requeue 7", "requeue 7"]);
    let warnings = logs.with("requeuing immediately (the delay is dropped)");
    assert!(
        warnings[0].ends_with("subscription=parcels"),
        "{warnings:?}"
    );
    connected.shutdown().await.expect("closes");
}

// RUN-349, RUN-300
#[tokio::test]
async fn acks_drops_and_skips_make_no_copies() {
    let yard = Yard::new(Transport::PLAIN);
    yard.send("parcels", Letter::new(7));
    yard.send("parcels", Letter::new(8));
    yard.send("parcels", Letter::new("torn"));

    let served = serve(&yard, 1, "ack torn", |b| {
        let body = answers(|number, _| match number {
            7 => HandlerOutcome::drop(),
            _ => HandlerOutcome::ack(),
        });
        let policies = FailurePolicies::default().with_decode(FailurePolicy::Skip);
        b.include(subscriber("parcels", body).on_failure(policies).build())
            .dead_letter("parcels.dead");
    })
    .await;

    assert_eq!(lines(&served.dealings), ["drop 7", "ack 8", "ack torn"]);
}

// RUN-203, RUN-341
#[tokio::test]
async fn a_reply_that_does_not_leave_is_a_retry_under_the_cap() {
    #[subscriber("parcels", reply("labels"))]
    async fn label(parcel: &u32) -> String {
        format!("label {parcel}")
    }
    let yard = Yard::new(COUNTS);
    yard.send("parcels", Letter::new(7));
    yard.fail("publish labels", 9);
    let logs = Logs::start();

    let served = serve(&yard, 1, "drop 7", |b| {
        b.include(label)
            .max_attempts(nonzero!(2u32))
            .dead_letter("parcels.dead");
    })
    .await;

    let failed = "publish labels \"label 7\"!";
    let expected = [
        failed,
        "requeue 7",
        failed,
        "publish parcels.dead 7",
        "drop 7",
    ];
    assert_eq!(lines(&served.dealings), expected);
    let line = &logs.with("reply publish failed")[0];
    for field in [
        "subscription=parcels",
        "reply=labels",
        "reply_type=",
        "error=",
    ] {
        assert!(line.contains(field), "{line}");
    }
}

// RUN-346, RUN-380, trap 27
#[tokio::test]
async fn the_working_headers_are_no_part_of_a_copy() {
    let yard = Yard::new(Transport::PLAIN);
    let sent = Letter::new(7).with("tenant", "north");
    yard.send("parcels", sent.clone());

    serve(&yard, 2, "drop 7", |b| {
        let body = answers(|_, ctx| {
            ctx.headers_mut().insert("tenant", "south");
            ctx.headers_mut().insert("seen", "yes");
            HandlerOutcome::retry()
        });
        b.include(subscriber("parcels", body).build())
            .max_attempts(nonzero!(2u32))
            .dead_letter("parcels.dead");
    })
    .await;

    let expected = HeaderMap::from_iter([("tenant", "north"), (RETRY_COUNT_HEADER, "1")]);
    assert_eq!(yard.waiting("parcels.dead")[0].headers, expected);
}

// RUN-342, RUN-346, MEM-36, MEM-38
#[tokio::test(start_paused = true)]
async fn on_the_in_process_broker_a_message_is_retried_to_its_cap_and_dies_as_it_was_sent() {
    #[subscriber("parcels")]
    async fn fails(_id: &u32, ctx: &mut Context<'_, (), Journal>) -> HandlerOutcome {
        ctx.state().note("run");
        HandlerOutcome::retry_after(Duration::from_secs(5))
    }
    #[subscriber("parcels.dead")]
    async fn buries(id: &u32, ctx: &mut Context<'_, (), Journal>) {
        let headers: Vec<_> = ctx
            .headers()
            .iter()
            .map(|(name, _)| name.to_owned())
            .collect();
        let tenant = ctx
            .headers()
            .get_str("tenant")
            .unwrap_or("nobody")
            .to_owned();
        ctx.state()
            .note(format!("buried {id} of {tenant}, {headers:?}"));
    }
    let (journal, broker) = (Journal::default(), MemoryBroker::new());
    let app = service_with(journal.clone()).with_broker(broker.clone(), |b| {
        b.include(fails)
            .max_attempts(nonzero!(3u32))
            .dead_letter("parcels.dead");
        b.include(buries);
    });
    let running = app.start().await.expect("starts");
    let begun = tokio::time::Instant::now();
    let headers = HeaderMap::from_iter([("tenant", "north")]);
    let message = OutgoingMessage::produced("parcels", BytesMut::from(&b"7"[..]));
    broker
        .publisher()
        .publish(message.with_headers(headers), None)
        .await
        .expect("publishes");

    journal.until_count(1, "buried").await;

    assert_eq!(begun.elapsed(), Duration::from_secs(5 + 5));
    running.shutdown().await.expect("stops");
    let told = journal.take();
    assert_eq!(
        lines(&told),
        ["run", "run", "run", "buried 7 of north, [\"tenant\"]"]
    );
}
