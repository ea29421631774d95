//! A body, an extractor, a layer or a transform that panics.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ruststream::prelude::*;
use ruststream::runtime::{
    BrokerScope, Handler, HealthState, Identity, Layer, Outgoing, PublishContext, RustStreamError,
};

use crate::support::{
    Journal, Letter, Logs, Publish, Transport, Yard, answers_each, lines, service, service_with,
};

/// It holds delays, so that every verdict shows.
const HOLDS: Transport = Transport {
    holds: true,
    ..Transport::PLAIN
};

/// Whether the next one who asks panics.
#[derive(Debug, Clone)]
struct Fuse(Arc<AtomicBool>);

impl Fuse {
    fn lit() -> Self {
        Self(Arc::new(AtomicBool::new(true)))
    }

    fn burn(&self) {
        assert!(!self.0.swap(false, Ordering::SeqCst), "out of fuel");
    }
}

#[derive(FromRef)]
struct Depot {
    fuse: Fuse,
    journal: Journal,
}

type Scope = BrokerScope<Yard, Identity, (), Depot>;

/// Remembers what settled, then panics.
#[subscriber("parcels")]
async fn in_the_body(_id: &u32, ctx: &mut Context<'_, (), Depot>) {
    for (kind, outcome) in [
        ("ack", HandlerOutcome::ack()),
        ("drop", HandlerOutcome::drop()),
        ("retry", HandlerOutcome::retry()),
        ("retry_after", HandlerOutcome::retry_after(Duration::ZERO)),
    ] {
        let journal = ctx.state().journal.clone();
        ctx.after(outcome)
            .then(async move { journal.note(format!("hook {kind}")) });
    }
    tokio::task::yield_now().await;
    ctx.state().fuse.burn();
}

/// Panics before there is a future.
struct Early;

impl Handle<u32, (), (), (), Depot> for Early {
    fn handle(
        &self,
        _id: &u32,
        (): &(),
        ctx: &mut Context<'_, (), Depot>,
    ) -> impl Future<Output = Result<(), HandlerOutcome>> + Send {
        ctx.state().fuse.burn();
        async { Ok(()) }
    }
}

struct Explosive;

impl FromContext<(), Depot> for Explosive {
    type Rejection = HandlerOutcome;

    async fn from_context(ctx: &mut Context<'_, (), Depot>) -> Result<Self, HandlerOutcome> {
        ctx.state().fuse.burn();
        Ok(Self)
    }
}

#[subscriber("parcels")]
async fn in_an_extractor(_id: &u32, _explosive: Explosive) {}

#[subscriber("parcels")]
async fn quiet(_id: &u32) {}

/// A layer around one route.
struct Burning;

struct Burns<H>(H);

impl<H> Layer<H> for Burning {
    type Handler = Burns<H>;

    fn layer(&self, inner: H) -> Burns<H> {
        Burns(inner)
    }
}

impl<M: Sync, H: Handler<M, (), Depot>> Handler<M, (), Depot> for Burns<H> {
    async fn handle(&self, message: &M, ctx: &mut Context<'_, (), Depot>) -> HandlerOutcome {
        let outcome = self.0.handle(message, ctx).await;
        ctx.state().fuse.burn();
        outcome
    }
}

#[subscriber("parcels", reply("labels"))]
async fn replies(id: &u32) -> String {
    id.to_string()
}

struct Scorched(Fuse);

impl<C, Options> PublishTransform<ForReply<C>, Options> for Scorched {
    type Destination = Reads;

    fn apply(&self, _: &mut Outgoing<'_>, _: &mut Option<Options>, _: &PublishContext<'_, C>) {
        self.0.burn();
    }
}

/// Where it panics, and how that is mounted under policies.
const PLACES: [(&str, fn(&mut Scope, FailurePolicies, Fuse)); 5] = [
    ("in the body", |b, policies, _| {
        drop(b.include(in_the_body.on_failure(policies)));
    }),
    ("before the future", |b, policies, _| {
        b.include(subscriber("parcels", Early).on_failure(policies).build());
    }),
    ("in an extractor", |b, policies, _| {
        drop(b.include(in_an_extractor.on_failure(policies)));
    }),
    ("in a layer", |b, policies, _| {
        b.include_router(
            Router::new()
                .include(quiet.on_failure(policies))
                .layer(Burning),
        );
    }),
    ("in a transform of the reply", |b, policies, fuse| {
        b.include(replies.on_failure(policies))
            .out_reply(Publish::default())
            .transform(Scorched(fuse));
    }),
];

/// What each policy that settles makes of the panic.
const SETTLING: [(FailurePolicy, &str); 4] = [
    (FailurePolicy::Drop, "drop 7"),
    (FailurePolicy::Retry, "requeue 7"),
    (
        FailurePolicy::RetryAfter(Duration::from_secs(5)),
        "after 5s 7",
    ),
    (FailurePolicy::Skip, "ack 7"),
];

// RUN-300, RUN-304, RUN-305, trap 20
#[tokio::test(start_paused = true)]
async fn a_panic_is_settled_by_its_policy_wherever_it_is_and_the_next_delivery_is_handled() {
    for (place, mount) in PLACES {
        for (policy, settled) in SETTLING {
            let (yard, fuse) = (Yard::new(HOLDS), Fuse::lit());
            yard.send_all("parcels", [7, 8]);
            let logs = Logs::start();
            let state = Depot {
                fuse: fuse.clone(),
                journal: Journal::default(),
            };
            let policies = FailurePolicies::default().with_panic(policy);
            let app = service_with(state).with_broker(yard.clone(), |b| mount(b, policies, fuse));
            let running = app.start().await.expect("starts");

            yard.journal().until_line("ack 8").await;

            running.shutdown().await.expect("nothing failed");
            let told = yard.journal().take();
            let first = told
                .iter()
                .find(|line| line.ends_with(" 7") && !line.starts_with("publish"));
            assert_eq!(
                first.map(String::as_str),
                Some(settled),
                "{place}, {policy:?}"
            );
            let line = logs.line("handler panicked");
            assert!(line.starts_with("ERROR ruststream::dispatch: "), "{line}");
            assert!(
                line.ends_with("subscription=parcels panic=out of fuel"),
                "{line}"
            );
        }
    }
}

// RUN-300, RUN-305, RUN-307, RUN-071, RUN-092, trap 2
#[tokio::test]
async fn under_fail_fast_a_panic_leaves_its_delivery_unsettled_and_tears_the_service_down() {
    for (place, mount) in PLACES {
        let (yard, fuse) = (Yard::new(HOLDS), Fuse::lit());
        yard.send_all("parcels", [7, 8]);
        let logs = Logs::start();
        let journal = Journal::default();
        let state = Depot {
            fuse: fuse.clone(),
            journal: journal.clone(),
        };
        let app = service_with(state).with_broker(yard.clone(), |b| {
            mount(b, FailurePolicies::default(), fuse);
            b.include(quiet.on_failure(FailurePolicies::default()));
        });
        let running = app.start().await.expect("starts");
        let health = running.health();

        running.stopping().await;
        let failed = HealthState::Failed {
            reason: "parcels: handler panicked: out of fuel".into(),
        };
        assert_eq!(health.state(), failed, "{place}");
        let Err(RustStreamError::Dispatch(reason)) = running.shutdown().await else {
            panic!("{place}: no failure");
        };

        assert_eq!(reason, "parcels: handler panicked: out of fuel");
        assert_eq!(yard.journal().beginning("left"), ["left 7"], "{place}");
        assert_eq!(yard.journal().beginning("shutdown"), ["shutdown yard"]);
        // RUN-292
        assert_eq!(journal.take(), [""; 0], "{place}");
        let line = logs.line("fail-fast: a dispatch failure is tearing the service down");
        assert!(
            line.ends_with("subscription=parcels reason=handler panicked: out of fuel"),
            "{line}"
        );
    }
}

// RUN-292, trap 21
#[tokio::test(start_paused = true)]
async fn hooks_of_a_body_that_panicked_run_for_the_verdict_of_its_policy() {
    let kinds = ["hook drop", "hook retry", "hook retry_after", "hook ack"];
    for ((policy, settled), hook) in SETTLING.into_iter().zip(kinds) {
        let yard = Yard::new(HOLDS);
        yard.send("parcels", Letter::new(7));
        let state = Depot {
            fuse: Fuse::lit(),
            journal: yard.journal().clone(),
        };
        let policies = FailurePolicies::default().with_panic(policy);
        let app = service_with(state).with_broker(yard.clone(), |b| {
            b.include(in_the_body.on_failure(policies));
        });
        let running = app.start().await.expect("starts");

        yard.journal().until_line(hook).await;
        running.shutdown().await.expect("stops");

        let told = yard.journal().take();
        let at = |line: &str| told.iter().position(|told| told == line);
        assert!(at(settled) < at(hook), "{told:?}");
    }
}

/// Bodies over batches that go wrong once, and what is said about it.
fn wrong_batches() -> Vec<(
    &'static str,
    fn(&mut BrokerScope<Yard>, FailurePolicies, Fuse),
)> {
    vec![
        ("out of fuel", |b, policies, fuse| {
            let body = answers_each(move |numbers| {
                fuse.burn();
                numbers.iter().map(|_| HandlerOutcome::ack()).collect()
            });
            let def = subscriber("parcels", body)
                .batch(nonzero!(8))
                .on_failure(policies);
            b.include(def.build());
        }),
        (
            "subscriber 'parcels' returned 1 per-element outcomes for a batch of 2",
            |b, policies, fuse| {
                let body = answers_each(move |numbers| {
                    let count = if fuse.0.swap(false, Ordering::SeqCst) {
                        1
                    } else {
                        numbers.len()
                    };
                    (0..count).map(|_| HandlerOutcome::ack()).collect()
                });
                let def = subscriber("parcels", body)
                    .batch(nonzero!(8))
                    .on_failure(policies);
                b.include(def.build());
            },
        ),
        (
            "subscriber 'parcels' returned 3 replies for a batch of 2",
            |b, policies, fuse| {
                let def = subscriber("parcels", TooMany(fuse))
                    .batch(nonzero!(8))
                    .on_failure(policies);
                b.include(def.reply().to("labels").build());
            },
        ),
    ]
}

/// Answers with a label too much, once.
struct TooMany(Fuse);

impl Handle<[u32], Vec<String>> for TooMany {
    async fn handle(
        &self,
        numbers: &[u32],
        (): &(),
        _ctx: &mut Context<'_>,
    ) -> Result<Vec<String>, Vec<HandlerOutcome>> {
        let more = usize::from(self.0.0.swap(false, Ordering::SeqCst));
        Ok((0..numbers.len() + more).map(|n| n.to_string()).collect())
    }
}

// RUN-306, RUN-365
#[tokio::test(start_paused = true)]
async fn a_batch_whose_body_goes_wrong_is_left_unsettled_under_every_policy() {
    for (text, mount) in wrong_batches() {
        for (policy, _) in SETTLING {
            let (yard, fuse) = (Yard::new(HOLDS), Fuse::lit());
            yard.send_all("parcels", [7, 8]);
            let logs = Logs::start();
            let policies = FailurePolicies::default().with_panic(policy);
            let app = service().with_broker(yard.clone(), |b| mount(b, policies, fuse));
            let running = app.start().await.expect("starts");

            yard.journal().until_count(2, "ack").await;

            running.shutdown().await.expect("the loop went on");
            let mut told = yard.journal().take();
            told.retain(|line| line.ends_with(" 7") || line.ends_with(" 8"));
            assert_eq!(
                lines(&told),
                ["left 7", "left 8", "ack 7", "ack 8"],
                "{policy:?}"
            );
            let line = logs.line("batch handler panicked");
            assert!(
                line.ends_with(&format!("subscription=parcels panic={text}")),
                "{line}"
            );
        }
    }
}

// RUN-306, RUN-365, RUN-307
#[tokio::test]
async fn under_fail_fast_a_batch_whose_body_goes_wrong_tears_the_service_down() {
    for (text, mount) in wrong_batches() {
        let yard = Yard::new(HOLDS);
        yard.send_all("parcels", [7, 8]);
        let app = service().with_broker(yard.clone(), |b| {
            mount(b, FailurePolicies::default(), Fuse::lit());
        });

        let failure = app
            .run_until(std::future::pending())
            .await
            .expect_err("fails")
            .to_string();

        assert_eq!(
            failure,
            format!("dispatch failed: parcels: batch handler panicked: {text}")
        );
        assert_eq!(yard.journal().beginning("left"), ["left 7", "left 8"]);
        assert_eq!(yard.journal().beginning("publish"), [""; 0]);
    }
}
