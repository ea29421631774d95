//! Deliveries of a stream: settled, capped, in batches, with their context.

use super::*;

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
