//! What runs after a delivery is settled.

use std::time::Duration;

use ruststream::prelude::*;
use ruststream::runtime::{BlanketLayer, BrokerScope, Handler, Identity};

use crate::support::{Journal, Letter, Transport, Yard, lines, service_with};

type Scope = BrokerScope<Yard, Identity, (), Journal>;

/// It holds delays, so that every verdict shows.
const HOLDS: Transport = Transport {
    holds: true,
    ..Transport::PLAIN
};

/// A continuation that notes a line, under the name of the thread it runs on if that matters.
fn noting(journal: &Journal, line: &'static str) -> impl Future<Output = ()> + Send + 'static {
    let journal = journal.clone();
    async move { journal.note(line) }
}

/// Hooks for every kind of verdict, in one order for all.
fn register<C, S>(ctx: &mut Context<'_, C, S>, journal: &Journal) {
    // What is attached to the outcome of a gate never runs.
    let gate = || HandlerOutcome::ack().and_after(noting(journal, "of the gate"));
    ctx.after_settle(noting(journal, "settled 1"));
    ctx.after(gate()).then(noting(journal, "after ack"));
    ctx.after_ack(noting(journal, "acked"));
    ctx.after(HandlerOutcome::drop())
        .then(noting(journal, "after drop"));
    ctx.after(HandlerOutcome::retry())
        .then(noting(journal, "after retry"));
    ctx.after(HandlerOutcome::retry_after(Duration::from_secs(1)))
        .then(noting(journal, "after retry_after"));
    ctx.after_settle(noting(journal, "settled 2"));
}

/// Says by its number how its delivery ends.
#[subscriber("parcels")]
async fn hooked(id: &u32, ctx: &mut Context<'_, (), Journal>) -> HandlerOutcome {
    let journal = ctx.state().clone();
    if !journal.beginning("requeue").is_empty() {
        // It came back; nothing more is to happen.
        std::future::pending::<()>().await;
    }
    register(ctx, &journal);
    let outcome = match id {
        1 => HandlerOutcome::ack(),
        2 => HandlerOutcome::drop(),
        3 => HandlerOutcome::retry(),
        _ => HandlerOutcome::retry_after(Duration::from_hours(1)),
    };
    outcome.and_after(noting(&journal, "and_after"))
}

/// The lines of hooks and of one settlement.
async fn after(id: u32, settled: &str, count: usize, mount: fn(&mut Scope)) -> Vec<String> {
    let yard = Yard::new(HOLDS);
    yard.send("parcels", Letter::new(id));
    let app = service_with(yard.journal().clone())
        .shutdown_timeout(Duration::ZERO)
        .with_broker(yard.clone(), mount);
    let running = app.start().await.expect("starts");
    let from = |lines: &[String]| lines.iter().position(|line| line == settled);
    yard.journal()
        .until(|lines| from(lines).is_some_and(|at| lines.len() > at + count))
        .await;
    let told = yard.journal().take();
    running.shutdown().await.expect("stops");
    let at = from(&told).expect("is there");
    told[at..=at + count].to_vec()
}

// RUN-283, RUN-290, RUN-260 steps 10 and 11, traps 23 and 24
#[tokio::test(start_paused = true)]
async fn hooks_run_after_the_settlement_of_their_kind_in_the_order_of_registration() {
    let mount: fn(&mut Scope) = |b| drop(b.include(hooked));
    let cases: [(u32, &str, &[&str]); 4] = [
        (1, "ack 1", &["after ack", "acked"]),
        (2, "drop 2", &["after drop"]),
        (3, "requeue 3", &["after retry"]),
        (4, "after 3600s 4", &["after retry_after"]),
    ];
    for (id, settled, kind) in cases {
        let told = after(id, settled, kind.len() + 3, mount).await;

        let expected = [&[settled, "and_after", "settled 1"], kind, &["settled 2"]].concat();
        assert_eq!(lines(&told), expected);
    }
}

/// Drops what is acked.
#[derive(Clone)]
struct Strict;

struct Stricter<H>(H);

impl<M: Sync, C: Send, S: Send + Sync, H: Handler<M, C, S>> Handler<M, C, S> for Stricter<H> {
    async fn handle(&self, message: &M, ctx: &mut Context<'_, C, S>) -> HandlerOutcome {
        let outcome = self.0.handle(message, ctx).await;
        if outcome.is_ack() {
            HandlerOutcome::drop()
        } else {
            outcome
        }
    }
}

impl BlanketLayer for Strict {
    fn apply<M, C, S, H>(&self, handler: H) -> impl Handler<M, C, S> + 'static
    where
        M: Send + Sync + 'static,
        C: Send + 'static,
        S: Send + Sync + 'static,
        H: Handler<M, C, S> + 'static,
    {
        Stricter(handler)
    }
}

#[subscriber("parcels", reply("labels"))]
async fn replies(id: &u32, ctx: &mut Context<'_, (), Journal>) -> u32_text::Text {
    let journal = ctx.state().clone();
    register(ctx, &journal);
    u32_text::Text(id.to_string())
}

mod u32_text {
    use ruststream::prelude::*;
    use serde::Serialize;

    #[derive(Serialize, Outgoing)]
    pub(super) struct Text(pub(super) String);
}

// RUN-291, RUN-203, RUN-442, trap 22
#[tokio::test]
async fn hooks_look_at_what_is_settled_after_layers_and_the_reply() {
    let yard = Yard::new(HOLDS);
    yard.send("parcels", Letter::new(1));
    let app = service_with(yard.journal().clone()).with_broker(yard.clone(), |b| {
        b.include_router(Router::new().layer(Strict).include(hooked));
    });
    let running = app.start().await.expect("starts");
    yard.journal().until_line("settled 2").await;
    running.shutdown().await.expect("stops");
    // The layer made a new outcome, and what the body attached to its own went with that one.
    assert_eq!(yard.journal().beginning("drop"), ["drop 1"]);
    assert_eq!(yard.journal().beginning("after"), ["after drop"]);
    assert_eq!(yard.journal().beginning("and_after"), [""; 0]);

    let yard = Yard::new(HOLDS);
    yard.send("parcels", Letter::new(1));
    yard.fail("publish labels", 1);
    let app = service_with(yard.journal().clone()).with_broker(yard.clone(), |b| {
        b.include(replies);
    });
    let running = app.start().await.expect("starts");
    yard.journal().until_line("acked").await;
    running.shutdown().await.expect("stops");
    let mut told = yard.journal().take();
    told.retain(|line| line.ends_with(" 1") || line.starts_with("after"));
    assert_eq!(
        lines(&told),
        [
            "requeue 1",
            "settled 1",
            "after retry",
            "ack 1",
            "settled 1",
            "after ack"
        ]
    );
}

#[subscriber("parcels")]
async fn at_the_cap(_id: &u32, ctx: &mut Context<'_, (), Journal>) -> HandlerOutcome {
    let journal = ctx.state().clone();
    register(ctx, &journal);
    HandlerOutcome::retry()
}

// RUN-291, RUN-341
#[tokio::test]
async fn at_the_cap_the_verdict_is_still_a_retry() {
    let told = after(7, "drop 7", 3, |b| {
        b.include(at_the_cap)
            .max_attempts(nonzero!(1u32))
            .dead_letter("parcels.dead");
    })
    .await;

    assert_eq!(
        lines(&told),
        ["drop 7", "settled 1", "after retry", "settled 2"]
    );
}

#[subscriber("parcels")]
async fn batch(ids: &[u32], ctx: &mut Context<'_, (), Journal>) -> Vec<HandlerOutcome> {
    let journal = ctx.state().clone();
    register(ctx, &journal);
    ids.iter()
        .map(|_| HandlerOutcome::ack().and_after(noting(&journal, "of an element")))
        .collect()
}

#[subscriber("parcels")]
async fn uniform_batch(_ids: &[u32], ctx: &mut Context<'_, (), Journal>) -> HandlerOutcome {
    let journal = ctx.state().clone();
    HandlerOutcome::ack().and_after(noting(&journal, "of the batch"))
}

// RUN-293
#[tokio::test]
async fn a_batch_has_hooks_of_its_settlement_alone_and_elements_have_their_own() {
    let yard = Yard::new(HOLDS);
    yard.send_all("parcels", [1, 2]);
    let app = service_with(yard.journal().clone()).with_broker(yard.clone(), |b| {
        b.include(batch.batch(nonzero!(8)));
    });
    let running = app.start().await.expect("starts");
    yard.journal().until_line("settled 2").await;
    running.shutdown().await.expect("stops");
    let mut told = yard.journal().take();
    told.retain(|line| {
        !["connect", "pair", "open", "close", "shutdown"]
            .iter()
            .any(|around| line.starts_with(around))
    });
    let each = "of an element";
    let mut hooks = told.clone();
    hooks.retain(|line| !line.starts_with("ack"));
    assert_eq!(lines(&hooks), [each, each, "settled 1", "settled 2"]);

    let yard = Yard::new(HOLDS);
    yard.send_all("parcels", [1, 2]);
    let app = service_with(yard.journal().clone()).with_broker(yard.clone(), |b| {
        b.include(uniform_batch.batch(nonzero!(8)));
    });
    let running = app.start().await.expect("starts");
    yard.journal().until_line("of the batch").await;
    running.shutdown().await.expect("stops");
    let mut told = yard.journal().take();
    told.retain(|line| line.starts_with("ack") || line.starts_with("of"));
    assert_eq!(lines(&told), ["ack 1", "ack 2", "of the batch"]);
}

#[subscriber("parcels")]
async fn leaves_a_panic(id: &u32, ctx: &mut Context<'_, (), Journal>) {
    let journal = ctx.state().clone();
    ctx.after_settle(async { panic!("a continuation panics") });
    ctx.after_settle(noting(&journal, "the next one runs"));
    journal.note(format!("handled {id}"));
}

// RUN-294
#[tokio::test]
async fn a_continuation_that_panics_harms_only_itself() {
    let yard = Yard::new(HOLDS);
    yard.send_all("parcels", [1, 2]);
    let app = service_with(yard.journal().clone()).with_broker(yard.clone(), |b| {
        b.include(leaves_a_panic);
    });
    let running = app.start().await.expect("starts");

    yard.journal().until_count(2, "the next one runs").await;

    running.shutdown().await.expect("nothing failed");
    assert_eq!(yard.journal().beginning("ack"), ["ack 1", "ack 2"]);
}

#[subscriber("parcels", threads(1))]
async fn on_its_thread(_id: &u32, ctx: &mut Context<'_, (), Journal>) -> HandlerOutcome {
    let here = || std::thread::current().name().unwrap_or("none").to_owned();
    let (hook, after) = (ctx.state().clone(), ctx.state().clone());
    ctx.state().note(format!("body on {}", here()));
    ctx.after_settle(async move {
        tokio::time::sleep(Duration::from_millis(1)).await;
        hook.note(format!("hook on {}", here()));
    });
    HandlerOutcome::ack().and_after(async move { after.note(format!("and_after on {}", here())) })
}

// RUN-283, RUN-226, RUN-240, trap 18
#[tokio::test]
async fn what_a_delivery_left_behind_runs_on_its_own_thread_and_a_stop_waits_for_it() {
    let yard = Yard::new(HOLDS);
    yard.send("parcels", Letter::new(1));
    let app = service_with(yard.journal().clone()).with_broker(yard.clone(), |b| {
        b.include(on_its_thread);
    });
    let running = app.start().await.expect("starts");
    yard.journal().until_line("ack 1").await;

    running.shutdown().await.expect("stops");

    let told = yard.journal().take();
    for line in [
        "body on parcels/0",
        "and_after on parcels/0",
        "hook on parcels/0",
    ] {
        assert!(told.contains(&line.to_owned()), "{told:?}");
    }
    assert_eq!(told.last().map(String::as_str), Some("shutdown yard"));
}

#[subscriber("parcels")]
async fn slow_to_leave(id: &u32, ctx: &mut Context<'_, (), Journal>) {
    let (id, journal) = (*id, ctx.state().clone());
    ctx.after_settle(async move {
        tokio::time::sleep(Duration::from_mins(1)).await;
        journal.note(format!("left behind by {id}"));
    });
}

// RUN-283, RUN-223
#[tokio::test(start_paused = true)]
async fn the_next_delivery_does_not_wait_for_what_the_last_one_left_behind() {
    let yard = Yard::new(HOLDS);
    yard.send_all("parcels", [1, 2]);
    let app = service_with(yard.journal().clone()).with_broker(yard.clone(), |b| {
        b.include(slow_to_leave);
    });
    let running = app.start().await.expect("starts");

    yard.journal().until_line("ack 2").await;
    assert_eq!(yard.journal().beginning("left"), [""; 0]);
    running.shutdown().await.expect("stops");

    assert_eq!(yard.journal().beginning("left").len(), 2);
}
