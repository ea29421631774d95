//! The order of a start, and what happens where a step of it fails.

use std::convert::Infallible;
use std::time::Duration;

use ruststream::prelude::*;
use ruststream::runtime::{Identity, PublishIdentity, RustStreamError};
use tokio::task::yield_now;
use tokio::time::Instant;

use crate::support::{
    Berth, Journal, Letter, Logs, Publish, Refused, Transport, Yard, lines, service, service_with,
};

#[subscriber("parcels")]
async fn parcels(_id: &u32) {}

#[subscriber(Berth::new("labels"), reply("stickers"))]
async fn labels(id: &u32, Out(_slot): Out<impl Publisher>) -> String {
    id.to_string()
}

#[subscriber("scans")]
async fn scans(_id: &u32) {}

type App = RustStream<Identity, (), PublishIdentity>;

/// Two brokers with everything that can be opened on them, and hooks around them.
fn depot(journal: &Journal) -> (App, Yard, Yard) {
    let north = Yard::named("north", Transport::PLAIN, journal);
    let south = Yard::named("south", Transport::PLAIN, journal);
    let hook = |line: &'static str| {
        let journal = journal.clone();
        async move |_| {
            journal.note(line);
            Ok::<_, Infallible>(())
        }
    };
    let produced = journal.clone();
    let app = service()
        .on_startup(async move |()| {
            produced.note("state");
            Ok::<_, Infallible>(())
        })
        .on_shutdown(hook("on_shutdown"))
        .after_shutdown(hook("after_shutdown"))
        .after_startup(hook("after_startup 1"))
        .with_broker_labeled("north", north.clone(), |b| {
            b.include(parcels);
            let journal = journal.clone();
            b.after_startup(Publish::named("of the hook"), async move |_clerk| {
                journal.note("after_startup of north");
                Ok::<_, Infallible>(())
            });
        })
        .with_broker_labeled("south", south.clone(), |b| {
            b.include(labels)
                .max_attempts(nonzero!(3u32))
                .out(DefaultSlot, Publish::named("slot"))
                .out_reply(Publish::named("reply"))
                .out_retry(Publish::named("retry"))
                .build();
            b.include(scans);
        })
        .after_startup(hook("after_startup 2"));
    (app, north, south)
}

const DECLARED: &str = "declared [RetryDeclaration { max_attempts: Some(3), dead_letter: None }]";

/// Everything that a start does, in order.
const STEPS: [&str; 16] = [
    "state",
    "connect north",
    "connect south",
    "pair default",
    "open parcels",
    "pair reply",
    "declare on labels Some(3) none",
    "pair retry",
    "address labels",
    DECLARED,
    "open labels",
    "pair slot",
    "pair default",
    "open scans",
    "after_startup 1",
    "pair of the hook",
];

// RUN-050, RUN-051, RUN-070, RUN-103, PUB-211, PUB-220, PUB-221, PUB-409, CORE-040, trap 10
#[tokio::test]
async fn a_service_starts_step_by_step_and_closes_in_reverse() {
    let journal = Journal::default();
    let (app, ..) = depot(&journal);

    let running = app.start().await.expect("starts");
    let rest = ["after_startup of north", "after_startup 2"];
    assert_eq!(lines(&journal.take()), [&STEPS[..], &rest].concat());

    running.shutdown().await.expect("stops");
    let mut told = journal.take();
    assert_eq!(told.remove(0), "on_shutdown");
    let mut closed: Vec<_> = told.drain(..3).collect();
    closed.sort();
    assert_eq!(closed, ["close labels", "close parcels", "close scans"]);
    // Nothing of what was paired is held any more.
    assert_eq!(
        lines(&told),
        ["shutdown south", "shutdown north", "after_shutdown"]
    );
}

fn kind(error: &RustStreamError) -> &'static str {
    match error {
        RustStreamError::Connect(_) => "connect",
        RustStreamError::Startup(_) => "startup",
        RustStreamError::Subscribe(_) => "subscribe",
        _ => "another",
    }
}

// RUN-002, RUN-050, RUN-051, RUN-053, RUN-054, PUB-222, PUB-223, PUB-224, CORE-040, traps 10, 37, 38
#[tokio::test]
async fn a_step_that_fails_ends_the_start_and_closes_what_was_opened_in_reverse() {
    let retry = |of: &str| {
        format!(
            "subscription `{of}`: the deferred-retry policy bound with `out_retry` failed to pair: "
        )
    };
    let steps = [
        (1, "connect", String::new()),
        (2, "connect", String::new()),
        (3, "subscribe", retry("parcels")),
        (4, "subscribe", String::new()),
        (5, "subscribe", String::new()),
        (6, "subscribe", "subscription `labels`: ".into()),
        (7, "subscribe", retry("labels")),
        (8, "subscribe", String::new()),
        (10, "subscribe", String::new()),
        (
            11,
            "subscribe",
            "pairing the publisher for the `default` slot failed: ".into(),
        ),
        (13, "subscribe", String::new()),
        (15, "startup", String::new()),
    ];
    for (step, variant, text) in steps {
        let journal = Journal::default();
        let (app, north, south) = depot(&journal);
        // Of the two that pair the default, the first is north's.
        let broker = if matches!(step, 1 | 3 | 4 | 15) {
            north
        } else {
            south
        };
        broker.fail(STEPS[step], 1);

        let error = app.start().await.expect_err("fails");

        assert_eq!(kind(&error), variant, "{}: {error}", STEPS[step]);
        let told = error.to_string();
        assert!(told.contains(&text), "{told}");
        assert!(
            told.ends_with(&format!("the yard refuses: {}", STEPS[step])),
            "{told}"
        );
        let mut told = journal.take();
        let done = told.drain(..=step).collect::<Vec<_>>();
        assert_eq!(lines(&done[..step]), STEPS[..step]);
        assert_eq!(done[step], format!("{}!", STEPS[step]));

        // Whatever was opened is closed, and then the brokers, the last one first.
        let opened = done[..step]
            .iter()
            .filter(|line| line.starts_with("open "))
            .count();
        let connected = done[..step]
            .iter()
            .filter(|line| line.starts_with("connect "))
            .count();
        let closed = told
            .drain(..opened)
            .filter(|line| line.starts_with("close "))
            .count();
        assert_eq!(closed, opened, "{}", STEPS[step]);
        let brokers = ["shutdown south", "shutdown north"];
        assert_eq!(lines(&told), brokers[2 - connected..], "{}", STEPS[step]);
    }
}

// RUN-002
#[tokio::test]
async fn the_error_of_a_broker_is_found_behind_that_of_the_start() {
    let yard = Yard::new(Transport::PLAIN);
    yard.fail("open parcels", 1);
    let app = service().with_broker(yard, |b| {
        b.include(parcels);
    });

    let Err(RustStreamError::Subscribe(source)) = app.start().await else {
        panic!("not refused");
    };

    assert_eq!(source.downcast_ref(), Some(&Refused("open parcels".into())));
}

#[derive(Debug, thiserror::Error)]
#[error("no ledger")]
struct NoLedger;

/// A service with one subscription and hooks that note that they ran.
fn hooked<S: Send + Sync + 'static>(
    app: RustStream<Identity, S, PublishIdentity, ruststream::runtime::Setup>,
    yard: &Yard,
) -> RustStream<Identity, S, PublishIdentity> {
    let hook = |line: &'static str| {
        let journal = yard.journal().clone();
        async move |_| {
            journal.note(line);
            Ok::<_, Infallible>(())
        }
    };
    app.after_startup(hook("after_startup"))
        .on_shutdown(hook("on_shutdown"))
        .after_shutdown(hook("after_shutdown"))
        .with_broker(yard.clone(), |b| {
            b.include(parcels);
        })
}

// RUN-050 step 2, trap 48
#[tokio::test]
async fn a_state_that_cannot_be_made_leaves_no_broker_dialled() {
    let yard = Yard::new(Transport::PLAIN);
    let app = hooked(
        service().on_startup(async |()| Err::<u32, _>(NoLedger)),
        &yard,
    );

    let error = app.start().await.expect_err("fails");

    assert_eq!(error.to_string(), "startup hook failed: no ledger");
    assert_eq!(yard.journal().take(), [""; 0]);
}

// RUN-050 step 5, RUN-053, PUB-224, trap 38
#[tokio::test]
async fn an_after_startup_hook_that_fails_ends_the_list_and_no_hook_of_the_stop_runs() {
    let yard = Yard::new(Transport::PLAIN);
    let app = hooked(service(), &yard)
        .after_startup(async |_| Err(NoLedger))
        .after_startup(async |_| -> Result<(), Infallible> { unreachable!("the list ended") });

    let error = app.start().await.expect_err("fails");

    assert_eq!(error.to_string(), "startup hook failed: no ledger");
    let expected = [
        "connect yard",
        "pair default",
        "open parcels",
        "after_startup",
        "close parcels",
        "shutdown yard",
    ];
    assert_eq!(lines(&yard.journal().take()), expected);
}

// RUN-070 steps 2 and 7, RUN-071
#[tokio::test]
async fn hooks_of_the_stop_that_fail_are_logged_and_change_nothing() {
    let yard = Yard::new(Transport::PLAIN);
    let app = hooked(service(), &yard)
        .on_shutdown(async |_| Err(NoLedger))
        .after_shutdown(async |_| Err(NoLedger));
    let logs = Logs::start();
    let running = app.start().await.expect("starts");
    yard.journal().take();

    running
        .shutdown()
        .await
        .expect("no hook changes the result");

    let expected = [
        "on_shutdown",
        "close parcels",
        "shutdown yard",
        "after_shutdown",
    ];
    assert_eq!(lines(&yard.journal().take()), expected);
    for phase in ["on_shutdown", "after_shutdown"] {
        let line = logs.line(&format!("{phase} hook failed"));
        assert!(line.starts_with("WARN ruststream::lifecycle: "), "{line}");
        assert!(line.ends_with("error=no ledger"), "{line}");
    }
}

#[subscriber("parcels", reply("labels"))]
async fn replies(id: &u32, ctx: &mut Context<'_, (), Journal>) -> String {
    let journal = ctx.state().clone();
    journal.note("handling");
    ctx.after_ack(async move {
        yield_now().await;
        journal.note("continued");
    });
    for _ in 0..20 {
        yield_now().await;
    }
    id.to_string()
}

#[subscriber("scans")]
async fn retries(_id: &u32) -> HandlerOutcome {
    HandlerOutcome::retry_after(Duration::from_secs(5))
}

// RUN-052, RUN-053, trap 37
#[tokio::test(start_paused = true)]
async fn a_start_that_fails_finishes_what_its_subscriptions_took() {
    let yard = Yard::new(Transport::PLAIN);
    let journal = yard.journal().clone();
    yard.send("scans", Letter::new(8));
    let feed = yard.clone();
    let app = service_with(journal.clone())
        .with_broker(yard.clone(), |b| {
            b.include(replies);
            b.include(retries);
        })
        .after_startup(async move |journal: std::sync::Arc<Journal>| {
            // What a hook sends to the service itself is handled while the hook runs.
            feed.send("parcels", Letter::new(7));
            journal.until_line("handling").await;
            journal.until_line("drop 8").await;
            Err(NoLedger)
        });

    let error = app.start().await.expect_err("fails");

    assert_eq!(error.to_string(), "startup hook failed: no ledger");
    let told = journal.take();
    let at = |line: &str| {
        told.iter()
            .position(|told| told == line)
            .unwrap_or_else(|| panic!("no {line} in {told:?}"))
    };
    let shut = at("shutdown yard");
    assert!(at("publish labels \"7\"") < at("ack 7") && at("ack 7") < at("continued"));
    // The delayed copy too.
    assert!(at("continued") < shut && at("publish scans 8 x-ruststream-retry-count=1") < shut);
    assert_eq!(shut, told.len() - 1);
}

#[subscriber("parcels")]
async fn never_ends(_id: &u32) {
    std::future::pending::<()>().await;
}

// RUN-053, RUN-075
#[tokio::test(start_paused = true)]
async fn a_start_that_fails_waits_no_longer_than_a_stop_would() {
    let yard = Yard::new(Transport::PLAIN);
    yard.send("parcels", Letter::new(7));
    let taken = yard.clone();
    let app = service()
        .shutdown_timeout(Duration::from_secs(2))
        .with_broker(yard.clone(), |b| {
            b.include(never_ends);
        })
        .after_startup(async move |_| {
            while taken.out() == 0 {
                yield_now().await;
            }
            Err(NoLedger)
        });
    let begun = Instant::now();

    app.start().await.expect_err("fails");

    assert_eq!(begun.elapsed(), Duration::from_secs(2));
    let told = yard.journal().take();
    let expected = ["left 7", "close parcels", "shutdown yard"];
    assert_eq!(lines(&told[told.len() - 3..]), expected);
}

// RUN-054, CORE-040
#[tokio::test]
async fn a_declaration_that_the_broker_refuses_is_told_with_its_subscription() {
    let yard = Yard::new(Transport::PLAIN);
    yard.fail("declare on parcels", 1);
    let app = service().with_broker(yard, |b| {
        b.include(parcels).max_attempts(nonzero!(3u32));
    });

    let Err(RustStreamError::Subscribe(source)) = app.start().await else {
        panic!("not refused");
    };

    let text = source.to_string();
    assert!(text.starts_with("subscription `parcels`: "), "{text}");
    assert!(
        format!("{source:?}").contains("RetryDeclareError"),
        "{source:?}"
    );
}

// CORE-033, CORE-040: the broker asks for what it needs, in its own words, and guesses nothing.
#[tokio::test]
async fn a_bare_name_that_needs_more_is_refused_with_what_to_write() {
    #[subscriber("parcels.*")]
    async fn matching(_id: &u32) {}
    let app = service().with_broker(ruststream::memory::MemoryBroker::new(), |b| {
        b.include(matching);
    });

    let Err(RustStreamError::Subscribe(refused)) = app.start().await else {
        panic!("not refused");
    };

    let text = refused.to_string();
    for part in ["`parcels.*`", "MemoryPattern::new(\"parcels.*\")"] {
        assert!(text.contains(part), "{text}");
    }
}

// RUN-055, RUN-201, CORE-125
#[tokio::test]
async fn a_reply_name_that_loses_against_the_types_own_is_told_once_at_startup() {
    #[derive(serde::Serialize, Outgoing)]
    #[outgoing(name = "stickers")]
    struct Sticker(u32);
    #[subscriber("parcels", reply("labels"))]
    async fn other(id: &u32) -> Sticker {
        Sticker(*id)
    }
    #[subscriber("scans", reply("stickers"))]
    async fn same(id: &u32) -> Sticker {
        Sticker(*id)
    }
    let yard = Yard::new(Transport::PLAIN);
    yard.send("parcels", Letter::new(7));
    let logs = Logs::start();
    let app = service().with_broker(yard.clone(), |b| {
        b.include(other);
        b.include(same);
    });
    let running = app.start().await.expect("starts");
    yard.journal().until_line("ack 7").await;
    running.shutdown().await.expect("stops");

    let line = logs.line("mount-site reply name is ignored");
    assert!(line.starts_with("WARN ruststream::lifecycle: "), "{line}");
    for field in [
        "subscription=parcels",
        "reply_type=",
        "destination=stickers",
        "ignored=labels",
    ] {
        assert!(line.contains(field), "{line}");
    }
    assert_eq!(yard.waiting("stickers")[0].text(), "7");
}

// PUB-221, RUN-055
#[tokio::test]
async fn that_a_reply_name_loses_is_told_before_its_policy_pairs() {
    #[derive(serde::Serialize, Outgoing)]
    #[outgoing(name = "stickers")]
    struct Sticker(u32);
    #[subscriber("parcels", reply("labels"))]
    async fn other(id: &u32) -> Sticker {
        Sticker(*id)
    }
    let yard = Yard::new(Transport::PLAIN);
    yard.fail("pair reply", 1);
    let logs = Logs::start();
    let app = service().with_broker(yard.clone(), |b| {
        b.include(other).out_reply(Publish::named("reply"));
    });

    app.start().await.expect_err("does not pair");

    logs.line("mount-site reply name is ignored");
}

// RUN-112, PUB-406: the guard says which handler of a long routes file it is.
#[test]
#[should_panic(
    expected = "a handler with Out slots was included but never mounted: end the chain of \
                `service::startup::labels` with `.build()`, at crates/ruststream/tests/service/startup.rs:"
)]
fn a_handler_with_slots_that_is_never_mounted_is_named() {
    let yard = Yard::named("north", Transport::PLAIN, &Journal::default());
    let _ = service().with_broker(yard, |b| {
        let _ = b.include(labels).out(DefaultSlot, Publish::named("slot"));
    });
}
