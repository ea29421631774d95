//! What a handler written as a function does with a delivery.

use std::convert::Infallible;
use std::num::ParseIntError;

use ruststream::memory::prelude::*;
use ruststream::runtime::{BrokerScope, Identity};
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Outgoing)]
struct Parcel {
    id: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Outgoing)]
struct Label {
    id: u32,
}

/// What the handlers report.
type Report = UnboundedSender<String>;

#[derive(FromRef)]
struct Depot {
    report: Report,
    gate: u8,
}

type Scope = BrokerScope<MemoryBroker, Identity, (), Depot>;

/// Runs a service, publishes `Parcel { id: 7 }` to `parcels` and returns the first `count` reports.
async fn reports(count: usize, mount: impl FnOnce(&mut Scope)) -> Vec<String> {
    let (report, mut reports): (Report, UnboundedReceiver<String>) = unbounded_channel();
    let broker = MemoryBroker::new();
    let app = RustStream::new(AppInfo::new("parcels", "1.0.0"))
        .on_startup(async move |()| Ok::<_, Infallible>(Depot { report, gate: 3 }))
        .with_broker(broker.clone(), mount);
    let running = app.start().await.expect("starts");
    broker
        .publisher()
        .message(&Parcel { id: 7 })
        .to("parcels")
        .publish()
        .await
        .expect("publishes");
    let mut seen = Vec::new();
    while seen.len() < count {
        seen.push(reports.recv().await.expect("a handler holds the sender"));
    }
    running.shutdown().await.expect("stops");
    seen
}

/// Reports how the delivery was settled, once it is.
fn watch(ctx: &mut Context<'_, (), Depot>) {
    let report = &ctx.state().report;
    let (ack, drop, retry) = (report.clone(), report.clone(), report.clone());
    ctx.after(HandlerOutcome::ack())
        .then(async move { ack.send("ack".into()).unwrap() });
    ctx.after(HandlerOutcome::drop())
        .then(async move { drop.send("drop".into()).unwrap() });
    ctx.after(HandlerOutcome::retry())
        .then(async move { retry.send("retry".into()).unwrap() });
}

#[subscriber("parcels")]
async fn nothing(_parcel: &Parcel, ctx: &mut Context<'_, (), Depot>) {
    watch(ctx);
}

#[subscriber("parcels")]
fn not_async(_parcel: &Parcel, ctx: &mut Context<'_, (), Depot>) -> HandlerOutcome {
    watch(ctx);
    HandlerOutcome::drop()
}

#[subscriber("parcels")]
async fn question_mark(
    _parcel: &Parcel,
    ctx: &mut Context<'_, (), Depot>,
) -> Result<(), ParseIntError> {
    watch(ctx);
    let _: u32 = "seven".parse()?;
    Ok(())
}

#[subscriber("parcels")]
async fn outcome_or_error(
    Parcel { id }: &Parcel,
    ctx: &mut Context<'_, (), Depot>,
) -> Result<HandlerOutcome, String> {
    watch(ctx);
    if *id == 7 {
        Ok(HandlerOutcome::drop())
    } else {
        Err("another".into())
    }
}

// MAC-24, MAC-26
#[tokio::test]
async fn the_return_value_settles_the_delivery() {
    assert_eq!(reports(1, |b| drop(b.include(nothing))).await, ["ack"]);
    assert_eq!(reports(1, |b| drop(b.include(not_async))).await, ["drop"]);
    assert_eq!(
        reports(1, |b| drop(b.include(question_mark))).await,
        ["drop"]
    );
    assert_eq!(
        reports(1, |b| drop(b.include(outcome_or_error))).await,
        ["drop"]
    );
}

/// Reports that it ran, then lets the delivery on or not.
struct Step<const PASSES: bool>;

impl<const PASSES: bool> FromContext<(), Depot> for Step<PASSES> {
    type Rejection = HandlerOutcome;

    async fn from_context(ctx: &mut Context<'_, (), Depot>) -> Result<Self, HandlerOutcome> {
        ctx.state().report.send(format!("step {PASSES}")).unwrap();
        if PASSES {
            return Ok(Self);
        }
        watch(ctx);
        Err(HandlerOutcome::drop())
    }
}

#[subscriber("parcels")]
async fn refused(
    _parcel: &Parcel,
    _first: Step<true>,
    _second: Step<false>,
    _third: Step<true>,
) -> HandlerOutcome {
    unreachable!("an extractor refused the delivery")
}

// MAC-22
#[tokio::test]
async fn the_first_extractor_that_refuses_settles_and_the_body_does_not_run() {
    assert_eq!(
        reports(3, |b| drop(b.include(refused))).await,
        ["step true", "step false", "drop"]
    );
}

#[subscriber("parcels")]
async fn extracts(
    parcel: &Parcel,
    State(gate): State<u8>,
    State(report): State<Report>,
    Ctx(main): Ctx<MainRuntime>,
) {
    let id = parcel.id;
    main.spawn(async move { report.send(format!("{id} at {gate}")).unwrap() });
}

// MAC-21, MAC-73
#[tokio::test]
async fn a_handler_without_a_context_mounts_under_any_state_its_extractors_read() {
    assert_eq!(reports(1, |b| drop(b.include(extracts))).await, ["7 at 3"]);
}

#[subscriber("parcels", reply("labels"))]
async fn prints(parcel: &Parcel) -> Result<Label, HandlerOutcome> {
    if parcel.id == 0 {
        return Err(HandlerOutcome::drop());
    }
    Ok(Label { id: parcel.id + 1 })
}

#[subscriber("labels")]
async fn sticks(label: &Label, State(report): State<Report>) {
    report.send(format!("label {}", label.id)).unwrap();
}

// MAC-25
#[tokio::test]
async fn a_reply_is_published_where_the_clause_says() {
    let seen = reports(1, |b| {
        b.include(prints);
        b.include(sticks);
    });
    assert_eq!(seen.await, ["label 8"]);
}

#[derive(OutSlot)]
#[publishes(Label)]
struct Printer;

#[subscriber("parcels")]
async fn forwards(
    parcel: &Parcel,
    Out(printer): Out<impl Publisher, Printer, Label>,
    State(report): State<Report>,
    whole: Out<impl Publisher>,
) -> HandlerOutcome {
    report.send("forwards".into()).unwrap();
    let sent = printer
        .message(&Label { id: parcel.id })
        .to("labels")
        .publish()
        .await;
    let copied = whole.message(parcel).to("copies").publish().await;
    if sent.is_ok() && copied.is_ok() {
        HandlerOutcome::ack()
    } else {
        HandlerOutcome::retry()
    }
}

// MAC-23, MAC-36
#[tokio::test]
async fn slots_publish_what_they_are_declared_for() {
    let seen = reports(2, |b| {
        b.include(forwards)
            .out(DefaultSlot, Publish)
            .out(Printer, Publish)
            .build();
        b.include(sticks);
    });
    assert_eq!(seen.await, ["forwards", "label 7"]);
}

#[derive(Deserialized)]
struct Raw<'a>(&'a [u8]);

#[subscriber("parcels")]
async fn views(raw: &Raw<'_>, State(report): State<Report>) -> Result<(), std::str::Utf8Error> {
    report.send(std::str::from_utf8(raw.0)?.to_owned()).unwrap();
    Ok(())
}

// MAC-20, MAC-66
#[tokio::test]
async fn a_view_lends_the_handler_the_payload() {
    assert_eq!(
        reports(1, |b| drop(b.include(views))).await,
        [r#"{"id":7}"#]
    );
}
