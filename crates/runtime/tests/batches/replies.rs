//! Replies of a batch (PUB-330 to PUB-337, RUN-204).

use std::error::Error;

use ruststream_core::{
    BuildBatchContext, CallerName, Field, FixedName, OutgoingDestination, Publisher, nonzero,
};
use ruststream_runtime::{
    AppInfo, BatchPublishTransform, BrokerScope, Context, ContextKind, FailurePolicies,
    FailurePolicy, Handle, HandlerOutcome, Outgoing, PublishContext, PublishLayer, PublishNext,
    PublishPipeline, PublishTransform, Reads, RustStream, SubscriberSettings, for_batch,
    subscriber,
};
use serde::Serialize;

use crate::depot::{Depot, Hub, Logs, Over, Parcel, Publish, lines, parcel, parcels, ran, run};

#[derive(Serialize)]
#[serde(transparent)]
struct Label(u32);

impl OutgoingDestination for Label {
    type Form = CallerName;
}

type Answer = Result<Vec<Label>, Vec<HandlerOutcome>>;

/// One label for each element, numbered a hundred higher.
fn labels() -> impl Handle<[u32], Vec<Label>> + 'static {
    Over(|input: &[u32], _: &mut Context<'_>| {
        let labels = input.iter().map(|n| Label(n + 100)).collect();
        std::future::ready(Answer::Ok(labels))
    })
}

fn mount_plain(scope: &mut BrokerScope<Depot>) {
    let def = subscriber("parcels", labels())
        .batch(nonzero!(8))
        .reply()
        .to("labels")
        .undocumented()
        .build();
    scope
        .include(def)
        .out_reply(Publish::with_base("tenant", "north"));
}

fn mount_transactional(scope: &mut BrokerScope<Depot>) {
    let def = subscriber("parcels", labels())
        .batch(nonzero!(8))
        .reply()
        .to("labels")
        .undocumented()
        .build();
    scope
        .include(def)
        .out_reply(Publish::default())
        .transactional();
}

// PUB-330, PUB-332, PUB-319
#[tokio::test]
async fn replies_leave_in_order_before_the_batch_is_acked() {
    let batch = vec![parcel(0), parcel(1).holding("torn"), parcel(2)];
    let hub = Hub::with(vec![batch, vec![parcel(3).holding("torn")]]);
    let ran = run(&hub, mount_plain).await;

    let expected = [
        "drop 1",
        "publish labels 100 tenant=north",
        "publish labels 102 tenant=north",
        "ack 0",
        "ack 2",
        "drop 3",
    ];
    assert_eq!(lines(&ran.journal), expected);
    ran.result.unwrap();
}

// RUN-331, PUB-301
#[tokio::test]
async fn a_reply_without_a_policy_leaves_through_the_brokers_default() {
    let hub = Hub::with(vec![parcels(0..1)]);
    let ran = run(&hub, |scope| {
        let def = subscriber("parcels", labels())
            .batch(nonzero!(8))
            .reply()
            .to("labels")
            .undocumented()
            .build();
        scope.include(def);
    })
    .await;

    assert_eq!(lines(&ran.journal), ["publish labels 100", "ack 0"]);
}

// PUB-332, RUN-204
#[tokio::test]
async fn a_reply_that_does_not_leave_brings_the_whole_batch_again() {
    let logs = Logs::start();
    let hub = Hub::with(vec![parcels(0..3)]);
    hub.fail("publish labels 101");
    let ran = run(&hub, mount_plain).await;

    let expected = [
        "publish labels 100 tenant=north",
        "publish labels 101 tenant=north!",
        "requeue 0",
        "requeue 1",
        "requeue 2",
    ];
    assert_eq!(lines(&ran.journal), expected);
    let line = format!(
        "WARN ruststream::dispatch: batch reply publish failed subscription=parcels reply=labels \
         reply_type={:?} error=refused",
        std::any::type_name::<Label>()
    );
    assert_eq!(logs.line("publish failed"), line);
}

// PUB-333
#[tokio::test]
async fn a_transaction_is_committed_before_the_batch_is_acked() {
    let hub = Hub::with(vec![parcels(0..2)]);
    let ran = run(&hub, mount_transactional).await;

    let expected = [
        "begin",
        "publish labels 100",
        "publish labels 101",
        "commit",
        "ack 0",
        "ack 1",
    ];
    assert_eq!(lines(&ran.journal), expected);
}

// PUB-333
#[tokio::test]
async fn a_transaction_that_fails_publishes_nothing_and_brings_the_batch_again() {
    let cases: [(&[&'static str], &[&str]); 4] = [
        (&["begin"], &["begin!"]),
        (
            &["publish labels 101"],
            &[
                "begin",
                "publish labels 100",
                "publish labels 101!",
                "abort",
            ],
        ),
        (
            &["publish labels 100", "abort"],
            &["begin", "publish labels 100!", "abort!"],
        ),
        (
            &["commit"],
            &[
                "begin",
                "publish labels 100",
                "publish labels 101",
                "commit!",
            ],
        ),
    ];
    for (failing, told) in cases {
        let logs = Logs::start();
        let hub = Hub::with(vec![parcels(0..2)]);
        for beginning in failing {
            hub.fail(beginning);
        }
        let ran = run(&hub, mount_transactional).await;

        let expected: Vec<_> = told
            .iter()
            .copied()
            .chain(["requeue 0", "requeue 1"])
            .collect();
        assert_eq!(lines(&ran.journal), expected);
        ran.result.unwrap();
        assert!(
            logs.line("batch reply publish failed")
                .ends_with(" error=refused")
        );
        if failing.contains(&"abort") {
            let line = "WARN ruststream::dispatch: transaction abort failed error=refused";
            assert_eq!(logs.line("abort failed"), line);
        }
    }
}

// PUB-337, CORE-151
#[tokio::test]
async fn transactions_of_batches_handled_at_once_take_turns() {
    let hub = Hub::with((0..8).map(|n| parcels(2 * n..2 * n + 2)).collect());
    let ran = run(&hub, |scope| {
        let def = subscriber("parcels", labels())
            .batch(nonzero!(2))
            .workers(nonzero!(4))
            .reply()
            .to("labels")
            .undocumented()
            .build();
        scope
            .include(def)
            .out_reply(Publish::default())
            .transactional();
    })
    .await;

    let told = |beginning: &str| {
        ran.journal
            .iter()
            .filter(|line| line.starts_with(beginning))
            .count()
    };
    assert_eq!(
        (
            told("begin"),
            told("commit"),
            told("ack"),
            told("begin while")
        ),
        (8, 8, 16, 0)
    );
}

// PUB-331, RUN-365
#[tokio::test]
async fn another_number_of_replies_is_a_panic_of_the_body() {
    let hub = Hub::with(vec![parcels(0..3)]);
    let ran = run(&hub, |scope| {
        let body =
            Over(|_: &[u32], _: &mut Context<'_>| std::future::ready(Answer::Ok(vec![Label(1)])));
        let policies = FailurePolicies::default().with_panic(FailurePolicy::FailFast);
        let def = subscriber("parcels", body)
            .batch(nonzero!(8))
            .on_failure(policies)
            .reply()
            .to("labels")
            .undocumented()
            .build();
        scope.include(def);
    })
    .await;

    assert_eq!(lines(&ran.journal), ["left 0", "left 1", "left 2"]);
    let reason = "parcels: batch handler panicked: subscriber 'parcels' returned 1 replies for a \
                  batch of 3";
    assert_eq!(ran.failure().as_deref(), Some(reason));
}

// PUB-310, RUN-203
#[tokio::test]
async fn a_body_that_answers_with_outcomes_publishes_nothing() {
    let hub = Hub::with(vec![parcels(0..2)]);
    let ran = run(&hub, |scope| {
        let body = Over(|_: &[u32], _: &mut Context<'_>| {
            std::future::ready(Answer::Err(vec![
                HandlerOutcome::drop(),
                HandlerOutcome::ack(),
            ]))
        });
        let def = subscriber("parcels", body)
            .batch(nonzero!(8))
            .reply()
            .to("labels")
            .undocumented()
            .build();
        scope.include(def);
    })
    .await;

    assert_eq!(lines(&ran.journal), ["drop 0", "ack 1"]);
}

/// The number of the first delivery of a batch.
struct First(u32);

impl BuildBatchContext<Parcel> for First {
    fn build(first: &Parcel) -> Self {
        Self(first.id)
    }
}

struct FirstId;

impl Field<First> for FirstId {
    type Value<'a> = u32;
    fn get(self, first: &First) -> u32 {
        first.0
    }
}

/// Writes what it sees into headers.
struct Stamp;

impl<Options> BatchPublishTransform<First, Options> for Stamp {
    fn apply(
        &self,
        out: &mut Outgoing<'_>,
        _: &mut Option<Options>,
        cx: &PublishContext<'_, First>,
    ) {
        let seen = format!(
            "{} {} {}",
            cx.name(),
            cx.context(FirstId),
            cx.headers().len()
        );
        out.headers_mut().insert("seen", seen);
    }
}

/// Says that it ran.
struct Mark(&'static str);

impl<K: ContextKind, Options> PublishTransform<K, Options> for Mark {
    type Destination = Reads;
    fn apply(&self, out: &mut Outgoing<'_>, _: &mut Option<Options>, _: &K::View<'_>) {
        out.headers_mut().insert(self.0, "1");
    }
}

/// Counts what passes, between the transforms and the broker.
#[derive(Debug, Clone)]
struct Passing;

impl PublishLayer for Passing {
    async fn on_publish<'a, N: PublishPipeline, P: Publisher>(
        &'a self,
        out: &'a mut Outgoing<'a>,
        next: PublishNext<'a, N, P>,
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        assert!(
            out.headers().get("lifted").is_some(),
            "transforms run first"
        );
        out.headers_mut().insert("passed", "1");
        next.run(out).await
    }
}

// PUB-334, PUB-336, PUB-602, trap 5
#[tokio::test]
async fn batch_transforms_see_the_batch_and_message_transforms_do_not_run() {
    for transactional in [false, true] {
        let batch = vec![parcel(0).with_header("tenant", "north"), parcel(1)];
        let hub = Hub::with(vec![batch]);
        let service = RustStream::new(AppInfo::new("depot", "1.0.0"))
            .publish_layer(Passing)
            .with_broker(Depot(hub.clone()), |scope| {
                let body = Over(|input: &[u32], ctx: &mut Context<'_, First>| {
                    ctx.headers_mut().insert("edited", "1");
                    let labels = input.iter().map(|n| Label(n + 100)).collect();
                    std::future::ready(Answer::Ok(labels))
                });
                let def = subscriber("parcels", body)
                    .batch(nonzero!(8))
                    .reply()
                    .to("labels")
                    .undocumented()
                    .build();
                let mounting = scope
                    .include(def)
                    .out_reply(Publish::default())
                    .transform(Mark("never"))
                    .batch_transform(Stamp)
                    .batch_transform(for_batch(Mark("lifted")));
                if transactional {
                    mounting.transactional();
                }
            });
        let ran = ran(&hub, service).await;

        let publishes: Vec<_> = ran
            .journal
            .iter()
            .filter(|line| line.starts_with("publish"))
            .cloned()
            .collect();
        let rest = "lifted=1 passed=1 seen=parcels 0 0";
        let expected = [
            format!("publish labels 100 {rest}"),
            format!("publish labels 101 {rest}"),
        ];
        assert_eq!(publishes, expected);
        assert_eq!(ran.journal.contains(&"commit".to_owned()), transactional);
    }
}

/// Fails over one number.
struct Fragile;

impl<C, Options> BatchPublishTransform<C, Options> for Fragile {
    fn apply(&self, out: &mut Outgoing<'_>, _: &mut Option<Options>, _: &PublishContext<'_, C>) {
        assert!(out.payload() != b"101", "a fragile label");
    }
}

// RUN-306, PUB-701
#[tokio::test]
async fn a_panic_inside_a_transaction_aborts_it_and_the_next_batch_goes_on() {
    let hub = Hub::with(vec![parcels(0..2), parcels(5..6)]);
    let ran = run(&hub, |scope| {
        let policies = FailurePolicies::default().with_panic(FailurePolicy::Drop);
        let def = subscriber("parcels", labels())
            .batch(nonzero!(8))
            .on_failure(policies)
            .reply()
            .to("labels")
            .undocumented()
            .build();
        scope
            .include(def)
            .out_reply(Publish::default())
            .batch_transform(Fragile)
            .transactional();
    })
    .await;

    let expected = [
        "begin",
        "publish labels 100",
        "abort",
        "left 0",
        "left 1",
        "begin",
        "publish labels 105",
        "commit",
        "ack 5",
    ];
    assert_eq!(lines(&ran.journal), expected);
}

#[derive(Serialize)]
#[serde(transparent)]
struct Stamped(u32);

impl OutgoingDestination for Stamped {
    type Form = FixedName;
    const DESTINATION: &'static str = "stamped";
}

// PUB-305, PUB-306
#[tokio::test]
async fn the_name_of_a_reply_type_wins_over_the_mounts_and_startup_says_so_once() {
    let logs = Logs::start();
    let hub = Hub::with(vec![parcels(0..1)]);
    let ran = run(&hub, |scope| {
        let body = Over(|input: &[u32], _: &mut Context<'_>| {
            let stamped = input.iter().map(|n| Stamped(*n)).collect();
            std::future::ready(Result::<Vec<Stamped>, Vec<HandlerOutcome>>::Ok(stamped))
        });
        let def = subscriber("parcels", body)
            .batch(nonzero!(8))
            .undocumented();
        scope.include(def.reply().to("labels").build());
    })
    .await;

    assert_eq!(lines(&ran.journal), ["publish stamped 0", "ack 0"]);
    let line = logs.line("the mount-site reply name is ignored");
    let fields = "destination=stamped ignored=labels";
    assert!(
        line.contains("subscription=parcels") && line.ends_with(fields),
        "{line}"
    );
}
