//! What handlers publish: replies, slots, requests.

use super::*;

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
