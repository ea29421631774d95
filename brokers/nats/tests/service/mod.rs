//! One service, tested in process and against a server by the same bodies (NATS-T60).
//!
//! The streams `LEDGER` (of `ledger.>`) and `BOOKED` (of `booked.>`) exist on the server.

use std::time::Duration;

use ruststream::runtime::BrokerScope;
use ruststream::testing::{BrokerHandle, TestApp, TestError};
use ruststream_nats::prelude::*;
use serde::{Deserialize, Serialize};

pub(crate) const DELAY: Duration = Duration::from_secs(1);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Outgoing)]
pub(crate) struct Entry {
    pub(crate) id: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Outgoing)]
#[outgoing(name = "booked.entries")]
pub(crate) struct Booked {
    pub(crate) id: u32,
}

/// How the service is started.
#[expect(dead_code, reason = "each test binary starts it in one way")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    InProcess,
    Live,
}

impl Mode {
    async fn start(self, app: impl App<State = ()>) -> TestApp<()> {
        self.try_start(app).await.expect("starts")
    }

    async fn try_start(self, app: impl App<State = ()>) -> Result<TestApp<()>, TestError> {
        match self {
            Self::InProcess => TestApp::start(app).await,
            Self::Live => TestApp::start_live(app).await,
        }
    }
}

fn service(
    broker: NatsBroker,
    mount: impl FnOnce(&mut BrokerScope<NatsBroker>),
) -> impl App<State = ()> {
    RustStream::new(AppInfo::new("books", "1.0.0")).with_broker(broker, mount)
}

fn nats(tb: &TestApp<()>) -> BrokerHandle<'_> {
    tb.broker::<NatsBroker>()
}

async fn send(tb: &TestApp<()>, subject: &str, id: u32) {
    let sent = nats(tb).message(&Entry { id }).to(subject).publish().await;
    sent.expect("sent");
}

/// Waits for what live comes a moment later than the send that caused it.
async fn eventually(tb: &TestApp<()>, what: impl Fn() -> bool) {
    for _ in 0..200 {
        if what() {
            return;
        }
        tb.advance(Duration::from_millis(20))
            .await
            .expect("settles");
    }
}

async fn close(tb: TestApp<()>) {
    tb.shutdown().await.expect("stops");
}

/// The attempts of a body: once more after a delay, then done.
#[subscriber(JetStreamSubject::new("ledger.*", "LEDGER").durable("book"))]
async fn held_once(_entry: &Entry, Ctx(delivered): Ctx<Delivered>) -> HandlerOutcome {
    match delivered {
        Some(1) => HandlerOutcome::retry_after(DELAY),
        _ => HandlerOutcome::ack(),
    }
}

pub(crate) async fn a_held_delivery_comes_back_after_its_delay(broker: NatsBroker, mode: Mode) {
    let tb = mode
        .start(service(broker, |b| {
            b.include(held_once);
        }))
        .await;
    send(&tb, "ledger.a", 1).await;
    nats(&tb)
        .subscriber("ledger.*")
        .assert_called_once()
        .settled(HandlerOutcome::retry_after(DELAY));

    tb.advance(DELAY.saturating_sub(Duration::from_millis(100)))
        .await
        .expect("settles");
    nats(&tb).subscriber("ledger.*").assert_called_once();
    tb.advance(Duration::from_millis(150))
        .await
        .expect("settles");
    eventually(&tb, || {
        nats(&tb).subscriber("ledger.*").outcomes().len() == 2
    })
    .await;

    nats(&tb)
        .subscriber("ledger.*")
        .assert_called(2)
        .with(&Entry { id: 1 })
        .settled(HandlerOutcome::ack());
    // Nothing was published for it: the one message is the test's own.
    nats(&tb)
        .published::<Entry>("ledger.a")
        .assert_called_once();
    close(tb).await;
}

#[subscriber(JetStreamSubject::new("ledger.*", "LEDGER").durable("book"))]
async fn again_once(_entry: &Entry, Ctx(delivered): Ctx<Delivered>) -> HandlerOutcome {
    match delivered {
        Some(1) => HandlerOutcome::retry(),
        _ => HandlerOutcome::drop(),
    }
}

pub(crate) async fn a_retry_comes_back_at_once_and_a_drop_never(broker: NatsBroker, mode: Mode) {
    let tb = mode
        .start(service(broker, |b| {
            b.include(again_once);
        }))
        .await;

    send(&tb, "ledger.a", 1).await;
    eventually(&tb, || {
        nats(&tb).subscriber("ledger.*").outcomes().len() == 2
    })
    .await;

    nats(&tb)
        .subscriber("ledger.*")
        .assert_called(2)
        .settled(HandlerOutcome::drop());
    tb.advance(DELAY).await.expect("settles");
    nats(&tb).subscriber("ledger.*").assert_called(2);
    close(tb).await;
}

#[subscriber(JetStreamSubject::new("ledger.*", "LEDGER"))]
async fn never_done(_entry: &Entry) -> HandlerOutcome {
    HandlerOutcome::retry()
}

// NATS-81, NATS-89, NATS-T14
pub(crate) async fn a_stream_is_capped_by_the_servers_count(broker: NatsBroker, mode: Mode) {
    let tb = mode
        .start(service(broker, |b| {
            b.include(never_done.durable("book"))
                .max_attempts(nonzero!(2u32))
                .dead_letter("spent.ledger");
        }))
        .await;
    let headers = Trace { trace: "7" };

    nats(&tb)
        .publish_with_headers("ledger.a", &Entry { id: 1 }, &headers)
        .await
        .expect("sent");
    eventually(&tb, || {
        nats(&tb)
            .published::<Entry>("spent.ledger")
            .messages()
            .len()
            == 1
    })
    .await;

    nats(&tb).subscriber("ledger.*").assert_called(2);
    let spent = nats(&tb)
        .published::<Entry>("spent.ledger")
        .assert_called_once()
        .with(&Entry { id: 1 });
    let letter = &spent.messages()[0];
    assert_eq!(letter.headers().get_str("trace"), Some("7"));
    // As it arrived: the server counts, so no header does.
    assert_eq!(letter.headers().len(), 1);
    tb.advance(DELAY).await.expect("settles");
    nats(&tb).subscriber("ledger.*").assert_called(2);
    nats(&tb)
        .published::<Entry>("ledger.a")
        .assert_called_once();
    close(tb).await;
}

#[derive(Serialize)]
struct Trace {
    trace: &'static str,
}

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

#[subscriber(CoreSubject::new("scans.belt"), reply)]
async fn answered(entry: &Entry) -> Booked {
    Booked { id: entry.id + 1 }
}

// NATS-115
pub(crate) async fn a_reply_leaves_over_core(broker: NatsBroker, mode: Mode) {
    let tb = mode
        .start(service(broker, |b| {
            b.include(answered);
        }))
        .await;

    send(&tb, "scans.belt", 1).await;

    nats(&tb)
        .published::<Booked>("booked.entries")
        .assert_called_once()
        .with(&Booked { id: 2 });
    close(tb).await;
}

#[derive(OutSlot)]
#[publishes(Ask, Booked, Entry)]
struct Into;

#[subscriber(JetStreamSubject::new("ledger.*", "LEDGER").durable("book"))]
async fn booked(
    entry: &Entry,
    Out(out): Out<impl Publisher<Options = JetStreamOptions>, Into>,
) -> HandlerOutcome {
    let message = Booked { id: entry.id };
    let id = format!("entry-{}", entry.id);
    match out.message(&message).message_id(id).publish().await {
        Ok(()) => HandlerOutcome::ack(),
        Err(_) => HandlerOutcome::drop(),
    }
}

// NATS-54, NATS-110, NATS-112
pub(crate) async fn a_slot_publishes_into_a_stream_with_options(broker: NatsBroker, mode: Mode) {
    let tb = mode
        .start(service(broker, |b| {
            b.include(booked)
                .out(Into, JetStreamPublish::default())
                .expect_stream("BOOKED")
                .build();
        }))
        .await;

    send(&tb, "ledger.a", 1).await;

    nats(&tb)
        .subscriber("ledger.*")
        .assert_called_once()
        .settled(HandlerOutcome::ack());
    let options = JetStreamOptions {
        message_id: Some("entry-1".into()),
        ..JetStreamOptions::default()
    };
    tb.out::<Into>().assert_called_once().with_options(&options);
    nats(&tb)
        .published::<Booked>("booked.entries")
        .assert_called_once()
        .with_options(&options);
    close(tb).await;
}

// NATS-105, NATS-931
pub(crate) async fn a_slot_that_expects_the_wrong_stream_is_refused(
    broker: NatsBroker,
    mode: Mode,
) {
    let tb = mode
        .start(service(broker, |b| {
            b.include(booked)
                .out(Into, JetStreamPublish::default().expect_stream("LEDGER"))
                .build();
        }))
        .await;

    send(&tb, "ledger.a", 1).await;

    nats(&tb)
        .subscriber("ledger.*")
        .assert_called_once()
        .settled(HandlerOutcome::drop());
    tb.out::<Into>().assert_called_once();
    nats(&tb)
        .published::<Booked>("booked.entries")
        .assert_not_called();
    close(tb).await;
}

#[derive(Debug, Serialize, Deserialize, Outgoing)]
#[outgoing(name = "prices")]
struct Ask {
    id: u32,
}

#[subscriber(CoreSubject::new("scans.belt"))]
async fn asks(_entry: &Entry, Out(out): Out<impl RequestReply, Into>) -> HandlerOutcome {
    let ask = Ask { id: 1 };
    let asked = out.message(&ask).request(Duration::from_secs(5)).await;
    let Ok(answer) = asked else {
        return HandlerOutcome::drop();
    };
    let is_seven = answer.payload() == br#"{"id":7}"#;
    // NATS-136: one slot serves both.
    let entry = Entry {
        id: u32::from(is_seven),
    };
    match out.message(&entry).to("asked").publish().await {
        Ok(()) => HandlerOutcome::ack(),
        Err(_) => HandlerOutcome::drop(),
    }
}

#[subscriber(CoreSubject::new("prices").queue_group("desk"))]
async fn answers(
    _ask: &Ask,
    ctx: &mut Context<'_>,
    Out(out): Out<impl Publisher, Into>,
) -> HandlerOutcome {
    let Some(to) = ctx.headers().reply_to().map(str::to_owned) else {
        return HandlerOutcome::drop();
    };
    match out.message(&Entry { id: 7 }).to(to).publish().await {
        Ok(()) => HandlerOutcome::ack(),
        Err(_) => HandlerOutcome::drop(),
    }
}

// NATS-130, NATS-135, NATS-136
pub(crate) async fn a_handler_asks_and_another_answers(broker: NatsBroker, mode: Mode) {
    let tb = mode
        .start(service(broker, |b| {
            b.include(asks).out(Into, Publish).build();
            b.include(answers).out(Into, Publish).build();
        }))
        .await;

    send(&tb, "scans.belt", 1).await;
    eventually(&tb, || {
        nats(&tb).published::<Entry>("asked").messages().len() == 1
    })
    .await;

    nats(&tb)
        .published::<Entry>("asked")
        .assert_called_once()
        .with(&Entry { id: 1 });
    close(tb).await;
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

#[subscriber(JetStreamSubject::new("ledger.*", "LEDGER").durable("book"))]
async fn in_batches(
    entries: &[Entry],
    ctx: &mut Context<'_, JetStreamBatchContext>,
) -> Vec<HandlerOutcome> {
    assert_eq!(ctx.context(Stream), Some("LEDGER"));
    assert_eq!(ctx.context(Consumer), Some("book"));
    entries.iter().map(|_| HandlerOutcome::ack()).collect()
}

// NATS-160, NATS-161, NATS-173
pub(crate) async fn a_stream_is_read_in_batches(broker: NatsBroker, mode: Mode) {
    let tb = mode
        .start(service(broker, |b| {
            b.include(
                in_batches
                    .pull_expires(NonZeroDuration::from_millis(nonzero!(200)))
                    .batch(nonzero!(3)),
            );
        }))
        .await;

    for id in 0..4 {
        send(&tb, "ledger.a", id).await;
    }

    let received = nats(&tb).subscriber("ledger.*").received::<Entry>();
    assert_eq!(received, [0, 1, 2, 3].map(|id| Entry { id }));
    close(tb).await;
}

/// Everything that the context says, in one line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Outgoing)]
#[outgoing(name = "told")]
struct Said {
    line: String,
}

#[subscriber(JetStreamSubject::new("ledger.*", "LEDGER").durable("book"), reply)]
async fn tells(
    _entry: &Entry,
    Ctx(stream): Ctx<Stream>,
    Ctx(consumer): Ctx<Consumer>,
    Ctx(sequence): Ctx<StreamSequence>,
    Ctx(nth): Ctx<ConsumerSequence>,
    Ctx(delivered): Ctx<Delivered>,
    Ctx(pending): Ctx<Pending>,
) -> Said {
    Said {
        line: format!("{stream:?} {consumer:?} {sequence:?} {nth:?} {delivered:?} {pending:?}"),
    }
}

// NATS-170, NATS-T11
pub(crate) async fn the_context_of_the_first_delivery(broker: NatsBroker, mode: Mode) {
    let tb = mode
        .start(service(broker, |b| {
            b.include(tells);
        }))
        .await;

    send(&tb, "ledger.a", 1).await;

    let line = r#"Some("LEDGER") Some("book") Some(1) Some(1) Some(1) Some(0)"#.to_owned();
    nats(&tb)
        .published::<Said>("told")
        .assert_called_once()
        .with(&Said { line });
    close(tb).await;
}

/// Calls `run` with the names of all bodies.
macro_rules! service_tests {
    ($run:ident) => {
        $run! {
            a_held_delivery_comes_back_after_its_delay
            a_retry_comes_back_at_once_and_a_drop_never
            a_stream_is_capped_by_the_servers_count
            a_core_subject_is_capped_by_its_copies
            a_pattern_is_capped_by_copies_to_the_subject_that_the_mount_names
            a_pattern_without_a_subject_for_its_copies_refuses_to_start
            a_reply_leaves_over_core
            a_slot_publishes_into_a_stream_with_options
            a_slot_that_expects_the_wrong_stream_is_refused
            a_handler_asks_and_another_answers
            a_group_over_two_subjects_gets_each_message_once
            a_stream_is_read_in_batches
            the_context_of_the_first_delivery
        }
    };
}
pub(crate) use service_tests;
