//! Values that deliveries hold already.

use ruststream::prelude::*;
use ruststream::runtime::{BrokerScope, Identity, RETRY_COUNT_HEADER};
use serde::{Deserialize, Serialize};

use crate::support::{Journal, Letter, Publish, Transport, Weight, Yard, lines, service_with};

type Scope = BrokerScope<Yard, Identity, (), Journal>;

#[derive(Debug, Serialize, Deserialize, Outgoing)]
struct Label {
    grams: u32,
}

/// A payload that no codec reads, with a value beside it.
fn frame(grams: u32) -> Letter {
    Letter::new(format!("frame {grams}")).with("weight", grams.to_string())
}

async fn run(frames: Vec<Letter>, mount: impl FnOnce(&mut Scope)) -> (Yard, Vec<String>) {
    let yard = Yard::new(Transport::PLAIN);
    let count = frames.len();
    for letter in frames {
        yard.send("frames", letter);
    }
    let app = service_with(yard.journal().clone()).with_broker(yard.clone(), mount);
    let running = app.start().await.expect("starts");
    let settled = |line: &&String| line.starts_with("ack") || line.starts_with("drop");
    yard.journal()
        .until(|lines| lines.iter().filter(settled).count() == count)
        .await;
    running.shutdown().await.expect("stops");
    let mut told = yard.journal().take();
    let around = ["connect", "pair", "open", "close", "shutdown"];
    told.retain(|line| !around.iter().any(|start| line.starts_with(start)));
    (yard, told)
}

#[subscriber("frames", reply("labels"))]
async fn weighs(weight: &Weight, Out(out): Out<impl Publisher>) -> Result<Label, HandlerOutcome> {
    let Weight(grams) = *weight;
    if grams == 0 {
        return Err(HandlerOutcome::drop());
    }
    let sent = out.message(&Label { grams }).to("ledger").publish().await;
    sent.map_err(|_| HandlerOutcome::retry())?;
    Ok(Label { grams: grams + 1 })
}

// RUN-430, RUN-434, CORE-214
#[tokio::test]
async fn a_body_borrows_the_value_of_its_delivery_and_replies_and_publishes() {
    let (_, told) = run(vec![frame(900), frame(0)], |b| {
        b.include(weighs)
            .out(DefaultSlot, Publish::default())
            .build();
    })
    .await;

    let expected = [
        r#"publish ledger {"grams":900}"#,
        r#"publish labels {"grams":901}"#,
        "ack frame 900",
        "drop frame 0",
    ];
    assert_eq!(lines(&told), expected);
}

#[subscriber("frames")]
async fn weighs_many(
    weights: &[Weight],
    ctx: &mut Context<'_, (), Journal>,
) -> Vec<HandlerOutcome> {
    ctx.state().note(format!(
        "weighed {:?}",
        weights.iter().map(|weight| weight.0).collect::<Vec<_>>()
    ));
    let odd = |weight: &Weight| weight.0 % 2 == 1;
    let outcome = |odd| {
        if odd {
            HandlerOutcome::drop()
        } else {
            HandlerOutcome::ack()
        }
    };
    weights.iter().map(|weight| outcome(odd(weight))).collect()
}

// RUN-430, RUN-433, RUN-364
#[tokio::test]
async fn a_batch_lends_its_values_whole_and_each_delivery_has_its_own_outcome() {
    let (_, told) = run(vec![frame(2), frame(3), frame(4)], |b| {
        b.include(weighs_many.batch(nonzero!(8)));
    })
    .await;

    let expected = [
        "weighed [2, 3, 4]",
        "ack frame 2",
        "drop frame 3",
        "ack frame 4",
    ];
    assert_eq!(lines(&told), expected);
}

// RUN-433, RUN-303, CORE-181
#[tokio::test]
async fn deliveries_beyond_the_lent_values_settle_by_the_decode_policy() {
    let skip = FailurePolicies::default().with_decode(FailurePolicy::Skip);
    let none = || Letter::new("empty");
    let (_, told) = run(vec![frame(2), none(), frame(4)], |b| {
        b.include(weighs_many.batch(nonzero!(8)).on_failure(skip));
    })
    .await;
    assert_eq!(
        lines(&told),
        ["weighed [2]", "ack frame 2", "ack empty", "ack frame 4"]
    );

    let (_, told) = run(vec![none(), none()], |b| {
        b.include(weighs_many.batch(nonzero!(8)));
    })
    .await;
    // Nothing was lent, so nobody was asked.
    assert_eq!(lines(&told), ["drop empty", "drop empty"]);
}

// CORE-182: the copy is made of payload and headers.
#[tokio::test]
async fn a_copy_carries_the_value_of_its_delivery() {
    #[subscriber("frames")]
    async fn weighs_again(weight: &Weight, ctx: &mut Context<'_, (), Journal>) -> HandlerOutcome {
        ctx.state().note(format!("weighed {}", weight.0));
        if ctx.headers().contains(RETRY_COUNT_HEADER) {
            HandlerOutcome::ack()
        } else {
            HandlerOutcome::retry()
        }
    }
    let yard = Yard::new(Transport::PLAIN);
    yard.send("frames", frame(900));
    let app = service_with(yard.journal().clone()).with_broker(yard.clone(), |b| {
        b.include(weighs_again).max_attempts(nonzero!(2u32));
    });
    let running = app.start().await.expect("starts");
    yard.journal().until_line("ack frame 900").await;
    running.shutdown().await.expect("stops");

    let copy = "publish frames frame 900 weight=900 x-ruststream-retry-count=1";
    let mut told = yard.journal().take();
    told.retain(|line| line.contains("900"));
    let weighed = "weighed 900";
    assert_eq!(
        lines(&told),
        [weighed, copy, "drop frame 900", weighed, "ack frame 900"]
    );
}

// RUN-193, RUN-464
#[test]
fn a_carried_input_has_no_content_type() {
    let app = service_with(Journal::default()).with_broker(Yard::new(Transport::PLAIN), |b| {
        b.include(weighs_many.batch(nonzero!(8)));
    });

    let meta = &app.handlers()[0];
    assert_eq!((meta.content_type, meta.deserialized), (None, false));
}

// RUN-430, RUN-221
#[tokio::test]
async fn a_value_is_lent_in_every_form() {
    #[subscriber("frames")]
    async fn plain(weight: &Weight, ctx: &mut Context<'_, (), Journal>) {
        ctx.state().note(format!("weighed {}", weight.0));
    }
    let mounts: [fn(&mut Scope); 4] = [
        |b| drop(b.include(plain)),
        |b| drop(b.include(plain.workers(nonzero!(2)))),
        |b| drop(b.include(plain.workers_by_key(nonzero!(2)))),
        |b| drop(b.include(plain.threads(nonzero!(2)))),
    ];
    for mount in mounts {
        let (_, mut told) = run((0..10).map(frame).collect(), mount).await;
        told.retain(|line| line.starts_with("weighed"));
        told.sort();
        let expected: Vec<_> = (0..10).map(|grams| format!("weighed {grams}")).collect();
        assert_eq!(told, expected);
    }
}
