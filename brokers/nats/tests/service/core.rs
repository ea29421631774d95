//! Core subjects and patterns: copies, caps, groups.

use std::sync::atomic::{AtomicU32, Ordering};

use super::*;

#[subscriber(CoreSubject::new("scans.belt"))]
async fn never_sorted(_entry: &Entry) -> HandlerOutcome {
    HandlerOutcome::retry()
}

// NATS-80, NATS-81, NATS-T14
pub(crate) async fn a_core_subject_is_capped_by_its_copies(broker: NatsBroker, mode: Mode) {
    let tb = mode
        .start(service(broker, |b| {
            b.include(never_sorted)
                .max_attempts(nonzero!(3u32))
                .dead_letter("spent.scans");
        }))
        .await;

    send(&tb, "scans.belt", 1).await;
    eventually(&tb, || {
        nats(&tb).published::<Entry>("spent.scans").messages().len() == 1
    })
    .await;

    nats(&tb).subscriber("scans.belt").assert_called(3);
    let counts = |name| {
        let published = nats(&tb).published::<Entry>(name);
        let header = |letter: &ruststream::RawMessage| {
            letter
                .headers()
                .get_str(ruststream::runtime::RETRY_COUNT_HEADER)
                .map(str::to_owned)
        };
        published.messages().iter().map(header).collect::<Vec<_>>()
    };
    assert_eq!(
        counts("scans.belt"),
        [None, Some("1".to_owned()), Some("2".to_owned())]
    );
    assert_eq!(counts("spent.scans"), [Some("2".to_owned())]);
    close(tb).await;
}

#[subscriber(CoreWildcard::new("doors.*"))]
async fn never_watched(_entry: &Entry) -> HandlerOutcome {
    HandlerOutcome::retry_after(DELAY)
}

// NATS-83, NATS-85, NATS-T14
pub(crate) async fn a_pattern_is_capped_by_copies_to_the_subject_that_the_mount_names(
    broker: NatsBroker,
    mode: Mode,
) {
    let tb = mode
        .start(service(broker, |b| {
            b.include(never_watched)
                .max_attempts(nonzero!(2u32))
                .dead_letter("spent.doors")
                .out_retry(Publish)
                .to("doors.again");
        }))
        .await;

    send(&tb, "doors.front", 1).await;
    nats(&tb).subscriber("doors.*").assert_called_once();
    tb.advance(DELAY).await.expect("settles");
    eventually(&tb, || {
        nats(&tb).published::<Entry>("spent.doors").messages().len() == 1
    })
    .await;

    nats(&tb).subscriber("doors.*").assert_called(2);
    nats(&tb)
        .published::<Entry>("doors.again")
        .assert_called_once();
    nats(&tb)
        .published::<Entry>("spent.doors")
        .assert_called_once();
    close(tb).await;
}

// NATS-83
pub(crate) async fn a_pattern_without_a_subject_for_its_copies_refuses_to_start(
    broker: NatsBroker,
    mode: Mode,
) {
    let refused = mode
        .try_start(service(broker, |b| {
            b.include(never_watched);
        }))
        .await;

    let refusal = refused.expect_err("refused").to_string();
    assert!(refusal.contains("doors.*"), "{refusal}");
}

#[subscriber(CoreSubject::new("scans.belt").queue_group("sorters"))]
async fn one(_entry: &Entry) {}

#[subscriber(CoreWildcard)]
async fn other(_entry: &Entry) {}

// NATS-43, NATS-45, NATS-54, NATS-F32
pub(crate) async fn a_group_over_two_subjects_gets_each_message_once(
    broker: NatsBroker,
    mode: Mode,
) {
    let tb = mode
        .start(service(broker, |b| {
            b.include(one);
            let sorter = other.name("scans.*").queue_group("sorters");
            b.include(sorter).out_retry(Publish).to("scans.again");
            b.include(other.name("scans.>"))
                .out_retry(Publish)
                .to("scans.again");
        }))
        .await;

    for id in 0..6 {
        send(&tb, "scans.belt", id).await;
    }

    let calls = |name| nats(&tb).subscriber(name).outcomes().len();
    let sorted = || calls("scans.belt") + calls("scans.*");
    eventually(&tb, || sorted() == 6).await;
    assert_eq!(sorted(), 6);
    assert_eq!(calls("scans.>"), 6);
    close(tb).await;
}

#[subscriber(CoreWildcard)]
async fn overlapping(_entry: &Entry) {}

// Issue 6: overlapping subscriptions
pub(crate) async fn overlapping_subscriptions_each_run_once(broker: NatsBroker, mode: Mode) {
    let patterns = ["a.>", "a.*.b", "a.1.b"];
    let tb = mode
        .start(service(broker, |b| {
            for pattern in patterns {
                b.include(overlapping.name(pattern))
                    .out_retry(Publish)
                    .to("a.1.b");
            }
        }))
        .await;

    send(&tb, "a.1.b", 1).await;
    send(&tb, "a.2.b", 2).await;

    let calls = |name| nats(&tb).subscriber(name).outcomes().len();
    eventually(&tb, || patterns.map(calls) == [2, 2, 1]).await;
    assert_eq!(patterns.map(calls), [2, 2, 1]);
    close(tb).await;
}

static LETTERS: AtomicU32 = AtomicU32::new(0);

#[subscriber(CoreWildcard::new("spent.*"))]
async fn gives_up_once(_entry: &Entry) -> HandlerOutcome {
    match LETTERS.fetch_add(1, Ordering::Relaxed) {
        0 => HandlerOutcome::retry(),
        _ => HandlerOutcome::ack(),
    }
}

// NATS-84
pub(crate) async fn a_dead_letter_inside_the_pattern_comes_to_who_gave_up(
    broker: NatsBroker,
    mode: Mode,
) {
    LETTERS.store(0, Ordering::Relaxed);
    let tb = mode
        .start(service(broker, |b| {
            b.include(gives_up_once)
                .max_attempts(nonzero!(1u32))
                .dead_letter("spent.letters")
                .out_retry(Publish)
                .to("spent.again");
        }))
        .await;

    send(&tb, "spent.once", 1).await;
    let calls = || nats(&tb).subscriber("spent.*").outcomes().len();
    eventually(&tb, || calls() == 2).await;

    nats(&tb)
        .subscriber("spent.*")
        .assert_called(2)
        .settled(HandlerOutcome::ack());
    nats(&tb)
        .published::<Entry>("spent.letters")
        .assert_called_once();
    close(tb).await;
}

// NATS-84
pub(crate) async fn a_copy_outside_the_pattern_never_comes_back(broker: NatsBroker, mode: Mode) {
    let tb = mode
        .start(service(broker, |b| {
            b.include(never_watched)
                .max_attempts(nonzero!(5u32))
                .out_retry(Publish)
                .to("elsewhere");
        }))
        .await;

    send(&tb, "doors.front", 1).await;
    tb.advance(DELAY).await.expect("settles");
    let copies = || nats(&tb).published::<Entry>("elsewhere").messages().len();
    eventually(&tb, || copies() == 1).await;
    tb.advance(DELAY).await.expect("settles");

    assert_eq!(copies(), 1);
    nats(&tb).subscriber("doors.*").assert_called_once();
    close(tb).await;
}
