//! Batches on the in-process broker, from their making to their replies.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ruststream::memory::prelude::*;
use ruststream::runtime::{
    BatchPublishTransform, BrokerScope, Identity, Outgoing, PublishContext, RunningApp,
};
use ruststream::{HeaderMap, OutgoingMessage};
use serde::ser::Error as _;
use serde::{Deserialize, Serialize, Serializer};

use crate::support::{Journal, lines, service_with};

type Scope = BrokerScope<MemoryBroker, Identity, (), Depot>;

#[derive(Clone, FromRef)]
struct Depot {
    journal: Journal,
    /// The next label that is told to is not written.
    out_of_ink: Arc<AtomicBool>,
}

impl Depot {
    fn new() -> Self {
        Self {
            journal: Journal::default(),
            out_of_ink: Arc::default(),
        }
    }
}

async fn send(broker: &MemoryBroker, id: u32) {
    let headers =
        HeaderMap::from_iter([("tenant", if id.is_multiple_of(2) { "even" } else { "odd" })]);
    let payload = BytesMut::from(id.to_string().as_bytes());
    let message = OutgoingMessage::produced("parcels", payload).with_headers(headers);
    broker
        .publisher()
        .publish(message, None)
        .await
        .expect("publishes");
}

/// A running service, and messages published without a wait between them, so that they make one
/// batch where there is room.
async fn start(
    depot: &Depot,
    ids: std::ops::Range<u32>,
    mount: impl FnOnce(&mut Scope),
) -> (MemoryBroker, RunningApp) {
    let broker = MemoryBroker::new();
    let app = service_with(depot.clone()).with_broker(broker.clone(), mount);
    let running = app.start().await.expect("starts");
    for id in ids {
        send(&broker, id).await;
    }
    (broker, running)
}

#[subscriber("parcels")]
async fn sizes(ids: &[u32], State(journal): State<Journal>) {
    journal.note(format!("batch {ids:?}"));
    for id in ids {
        journal.note(format!("got {id}"));
    }
}

// RUN-360, RUN-361, RUN-230
#[tokio::test]
async fn a_batch_is_as_large_as_the_mount_says_at_most_and_keeps_the_order() {
    let mounts: [fn(&mut Scope); 3] = [
        |b| drop(b.include(sizes.batch(nonzero!(4)))),
        |b| drop(b.include(sizes.batch(nonzero!(4)).workers(nonzero!(2)))),
        // Batches have no key, so these are plain workers.
        |b| drop(b.include(sizes.batch(nonzero!(4)).workers_by_key(nonzero!(2)))),
    ];
    for mount in mounts {
        let depot = Depot::new();
        let (_broker, running) = start(&depot, 0..30, mount).await;
        depot.journal.until_count(30, "got").await;
        running.shutdown().await.expect("stops");

        let expected: Vec<_> = (0..30).map(|id| format!("got {id}")).collect();
        assert_eq!(depot.journal.beginning("got"), expected);
        for batch in depot.journal.beginning("batch") {
            assert!(batch.split(',').count() <= 4, "{batch}");
        }
    }
}

// RUN-230, RUN-226
#[tokio::test]
async fn batches_are_handled_on_threads_of_their_own() {
    #[subscriber("parcels", threads(2))]
    async fn threaded(ids: &[u32], State(journal): State<Journal>) {
        let thread = std::thread::current().name().unwrap_or("none").to_owned();
        for id in ids {
            journal.note(format!("got {id} on {thread}"));
        }
    }
    let depot = Depot::new();
    let (_broker, running) = start(&depot, 0..30, |b| {
        drop(b.include(threaded.batch(nonzero!(4))));
    })
    .await;
    depot.journal.until_count(30, "got").await;
    running.shutdown().await.expect("stops");

    let on_threads = depot.journal.beginning("got");
    assert!(
        on_threads.iter().all(|line| line.contains(" on parcels/")),
        "{on_threads:?}"
    );
}

/// Once, every element of a batch ends in another way.
#[subscriber("parcels")]
async fn each_its_own(ids: &[u32], State(journal): State<Journal>) -> Vec<HandlerOutcome> {
    let outcome = |id: &u32| {
        let runs = journal.beginning(&format!("run {id}")).len();
        journal.note(format!("run {id}"));
        let after = journal.clone();
        let settled = format!("settled {id}");
        let outcome = match (id % 3, runs) {
            (1, 0) => HandlerOutcome::retry(),
            (2, _) => HandlerOutcome::drop(),
            _ => HandlerOutcome::ack(),
        };
        outcome.and_after(async move { after.note(settled) })
    };
    ids.iter().map(outcome).collect()
}

// RUN-364, RUN-202, RUN-293
#[tokio::test]
async fn each_element_of_a_batch_is_settled_by_its_own_outcome() {
    let depot = Depot::new();
    let (_broker, running) = start(&depot, 0..6, |b| {
        drop(b.include(each_its_own.batch(nonzero!(8))));
    })
    .await;
    depot.journal.until_count(8, "settled").await;
    running.shutdown().await.expect("stops");

    let runs = |id: u32| depot.journal.beginning(&format!("run {id}")).len();
    assert_eq!([0, 1, 2, 3, 4, 5].map(runs), [1, 2, 1, 1, 2, 1]);
}

#[derive(Debug, Deserialize)]
struct Tenant {
    tenant: String,
}

#[derive(Debug, Deserialize, Outgoing)]
#[outgoing(name = "labels")]
struct Label {
    id: u32,
    #[serde(skip)]
    fails: bool,
}

impl Serialize for Label {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Plain {
            id: u32,
        }
        if self.fails {
            return Err(S::Error::custom("out of ink"));
        }
        Plain { id: self.id }.serialize(serializer)
    }
}

/// Labels all parcels; where ink is out, the last one once fails.
#[subscriber("parcels", reply)]
async fn labels(
    parcels: &[Message<Tenant, u32>],
    State(journal): State<Journal>,
    State(out_of_ink): State<Arc<AtomicBool>>,
) -> Vec<Label> {
    journal.note(format!("run of {}", parcels.len()));
    let fails = out_of_ink.swap(false, Ordering::SeqCst);
    let last = parcels.len() - 1;
    let label = |(at, parcel): (usize, &Message<Tenant, u32>)| {
        assert!(parcel.headers.tenant == "even" || parcel.body % 2 == 1);
        Label {
            id: parcel.body,
            fails: fails && at == last,
        }
    };
    parcels.iter().enumerate().map(label).collect()
}

#[subscriber("labels")]
async fn sticks(label: &Label, ctx: &mut Context<'_, (), Depot>) {
    let via = ctx
        .headers()
        .get_str("via")
        .map_or(String::new(), |via| format!(" via {via}"));
    ctx.state().journal.note(format!("label {}{via}", label.id));
}

/// Writes into every reply of a batch.
struct Via;

impl<C, Options> BatchPublishTransform<C, Options> for Via {
    fn apply(&self, out: &mut Outgoing<'_>, _: &mut Option<Options>, cx: &PublishContext<'_, C>) {
        let via = format!("{} {}", cx.name(), cx.headers().len());
        out.headers_mut().insert("via", via);
    }
}

/// What was stuck on, in order, once `count` labels were.
async fn stuck(depot: &Depot, count: usize, mount: impl FnOnce(&mut Scope)) -> Vec<String> {
    let (_broker, running) = start(depot, 0..3, |b| {
        mount(b);
        b.include(sticks);
    })
    .await;
    depot.journal.until_count(count, "label").await;
    running.shutdown().await.expect("stops");
    depot.journal.beginning("label")
}

// RUN-200, RUN-204, RUN-191
#[tokio::test]
async fn the_replies_of_a_batch_leave_in_its_order_and_pass_its_transforms() {
    let told = stuck(&Depot::new(), 3, |b| {
        b.include(labels.batch(nonzero!(8)))
            .out_reply(Publish)
            .batch_transform(Via);
    })
    .await;

    let via = " via parcels 0";
    let expected = ["label 0", "label 1", "label 2"].map(|label| format!("{label}{via}"));
    assert_eq!(told, expected);
}

// RUN-204
#[tokio::test]
async fn a_reply_that_fails_brings_the_whole_batch_back_and_earlier_ones_leave_again() {
    let depot = Depot::new();
    depot.out_of_ink.store(true, Ordering::SeqCst);

    let told = stuck(&depot, 5, |b| drop(b.include(labels.batch(nonzero!(8))))).await;

    assert_eq!(
        lines(&told),
        ["label 0", "label 1", "label 0", "label 1", "label 2"]
    );
    assert_eq!(depot.journal.beginning("run"), ["run of 3", "run of 3"]);
}

// RUN-204, PUB-403
#[tokio::test]
async fn in_a_transaction_the_replies_of_a_batch_leave_all_or_not_at_all() {
    let depot = Depot::new();
    depot.out_of_ink.store(true, Ordering::SeqCst);

    let told = stuck(&depot, 3, |b| {
        b.include(labels.batch(nonzero!(8)))
            .out_reply(TransactionalPublish)
            .transactional();
    })
    .await;

    assert_eq!(lines(&told), ["label 0", "label 1", "label 2"]);
    assert_eq!(depot.journal.beginning("run"), ["run of 3", "run of 3"]);
}

// RUN-203, MAC-25
#[tokio::test]
async fn a_batch_that_answers_with_an_outcome_publishes_nothing() {
    #[subscriber("parcels", reply)]
    async fn refuses(
        parcels: &[u32],
        State(journal): State<Journal>,
    ) -> Result<Vec<Label>, HandlerOutcome> {
        if journal.beginning("refused").is_empty() {
            journal.note("refused");
            return Err(HandlerOutcome::retry());
        }
        Ok(parcels
            .iter()
            .map(|id| Label {
                id: *id,
                fails: false,
            })
            .collect())
    }

    let told = stuck(&Depot::new(), 3, |b| {
        drop(b.include(refuses.batch(nonzero!(8))));
    })
    .await;

    assert_eq!(lines(&told), ["label 0", "label 1", "label 2"]);
}

#[derive(OutSlot)]
#[publishes(Label)]
struct Printer;

#[subscriber("parcels")]
async fn prints(
    parcels: &[u32],
    Out(printer): Out<impl TransactionalPublisher, Printer>,
) -> HandlerOutcome {
    let scope = printer.begin().await.expect("begins");
    for id in parcels {
        let sent = scope
            .message(&Label {
                id: *id,
                fails: false,
            })
            .publish()
            .await;
        if sent.is_err() {
            return HandlerOutcome::retry();
        }
    }
    match scope.commit().await {
        Ok(()) => HandlerOutcome::ack(),
        Err(_) => HandlerOutcome::retry(),
    }
}

// RUN-212, RUN-210
#[tokio::test]
async fn the_body_of_a_batch_publishes_through_its_slots() {
    let told = stuck(&Depot::new(), 3, |b| {
        b.include(prints.batch(nonzero!(8)))
            .out(Printer, TransactionalPublish)
            .build();
    })
    .await;

    assert_eq!(lines(&told), ["label 0", "label 1", "label 2"]);
}
