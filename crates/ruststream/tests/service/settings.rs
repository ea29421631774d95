//! Settings of a subscription, wherever they are written.

use std::borrow::Cow;

use ruststream::prelude::*;
use ruststream::runtime::{HandlerMetadata, IntoSource, Placement, RETRY_COUNT_HEADER};
use ruststream::{BrokerMoves, Name, Subscribe, SubscriptionSource};

use crate::support::{
    ConnectedYard, Letter, Logs, Refused, Transport, Yard, answers, serve, service,
};

fn acks() -> impl Handle<u32> {
    answers(|_, _| HandlerOutcome::ack())
}

#[subscriber("parcels")]
async fn by_its_attribute(_id: &u32) {}

#[subscriber]
async fn unnamed(_id: &u32) {}

#[subscriber(Name)]
async fn of_a_kind(_id: &u32) {}

// RUN-162, RUN-183, RUN-153
#[tokio::test]
async fn a_name_means_the_same_subscription_wherever_it_is_written() {
    fn source<S: IntoSource<Source = Name>>(source: S) -> Name {
        source.into_source()
    }
    let yard = Yard::new(Transport::PLAIN);
    yard.send_all("parcels", 0..40);

    let served = serve(&yard, 40, "ack", |b| {
        b.include(subscriber("parcels", acks()).build());
        b.include(subscriber(source(String::from("parcels")), acks()).build());
        b.include(subscriber(source(Cow::Borrowed("parcels")), acks()).build());
        b.include(subscriber(Name::new("parcels"), acks()).build());
        b.include(
            subscriber(Unnamed::<Name>::new(), acks())
                .name("parcels")
                .build(),
        );
        b.include(by_its_attribute);
        b.include(unnamed.name("parcels"));
        b.include(of_a_kind.name(String::from("parcels")));
    })
    .await;

    let opened = served.journal.iter().filter(|line| *line == "open parcels");
    assert_eq!(opened.count(), 8);
    let app = service().with_broker(yard, |b| {
        b.include(unnamed.name("parcels"));
        b.include(by_its_attribute);
    });
    let told: Vec<_> = app
        .handlers()
        .iter()
        .map(|meta: &HandlerMetadata| meta.name.as_ref())
        .collect();
    assert_eq!(told, ["parcels", "parcels"]);
}

/// One shelf of an aisle: what it is called is not what it reads.
#[derive(Debug, Clone)]
struct Shelf {
    label: &'static str,
    aisle: &'static str,
}

impl IntoSource for Shelf {
    type Source = Self;

    fn into_source(self) -> Self {
        self
    }
}

impl SubscriptionSource<ConnectedYard> for Shelf {
    type Subscriber = <ConnectedYard as Subscribe>::Subscriber;
    type Copies = BrokerMoves;

    fn name(&self) -> &str {
        self.label
    }

    async fn subscribe(self, connected: &ConnectedYard) -> Result<Self::Subscriber, Refused> {
        connected.subscribe(self.aisle).await
    }
}

// CORE-042
#[tokio::test]
async fn the_name_of_a_source_is_what_is_reported_and_not_what_is_read() {
    let shelf = Shelf {
        label: "shelf 4",
        aisle: "parcels",
    };
    let yard = Yard::new(Transport::PLAIN);
    yard.send("parcels", Letter::new(7));
    yard.err("parcels", 1);
    let logs = Logs::start();
    let app = service().with_broker(yard.clone(), |b| {
        let body = answers(|_, ctx| {
            assert_eq!(ctx.name(), "shelf 4");
            HandlerOutcome::ack()
        });
        b.include(subscriber(shelf, body).build());
    });
    assert_eq!(app.handlers()[0].name, "shelf 4");
    let running = app.start().await.expect("starts");

    yard.journal().until_line("ack 7").await;

    running.shutdown().await.expect("stops");
    assert_eq!(yard.journal().beginning("open"), ["open parcels"]);
    let line = logs.line("subscriber stream error");
    assert!(line.contains("subscription=shelf 4"), "{line}");
}

#[subscriber("parcels", threads(3, by_key))]
async fn threaded(_id: &u32) {}

// RUN-150, RUN-160, RUN-220
#[test]
fn settings_are_read_back_as_they_are_at_that_moment() {
    let plain = subscriber("parcels", acks());
    assert_eq!(plain.dispatch(), Workers::sequential());
    assert_eq!(plain.batch_size(), None);
    assert_eq!(plain.subscription_name::<ConnectedYard>(), "parcels");

    let pooled = plain.workers(nonzero!(8));
    assert_eq!(pooled.dispatch(), Workers::pool(nonzero!(8)));

    let workers = by_its_attribute.threads_by_key(nonzero!(3)).dispatch();
    assert_eq!((workers.count().get(), workers.by_key()), (3, true));
    assert_eq!(workers.placement(), Placement::Threads);
    // RUN-184: the clause of the attribute is the step of the chain.
    let declared = ruststream::runtime::Declared::declare(threaded);
    assert_eq!(declared.dispatch(), workers);
}

// RUN-301, RUN-281
#[tokio::test]
async fn without_a_policy_panics_tear_down_and_what_does_not_decode_is_dropped() {
    let defaults = FailurePolicies::default();
    assert_eq!(
        (defaults.panic, defaults.decode),
        (FailurePolicy::FailFast, FailurePolicy::Drop)
    );
    let yard = Yard::new(Transport::FULL);
    yard.send("parcels", Letter::new("torn"));
    for (id, verdict) in [(1, "ack"), (2, "drop"), (3, "requeue"), (4, "after")] {
        yard.send(
            "parcels",
            Letter::new(id)
                .with(RETRY_COUNT_HEADER, "0")
                .with("verdict", verdict),
        );
    }
    yard.send("parcels", Letter::new(5));

    let served = serve(&yard, 1, "left 5", |b| {
        let body = answers(
            |number, ctx| match (number, ctx.headers().get_str("verdict")) {
                (_, Some("ack")) => HandlerOutcome::ack(),
                (_, Some("drop")) => HandlerOutcome::drop(),
                (_, Some("requeue")) => HandlerOutcome::retry(),
                (_, Some(_)) => HandlerOutcome::retry_after(std::time::Duration::from_hours(1)),
                (_, None) => panic!("no verdict"),
            },
        );
        b.include(subscriber("parcels", body).build());
    })
    .await;

    let expected = [
        "drop torn",
        "ack 1",
        "drop 2",
        "requeue 3",
        "after 3600s 4",
        "left 5",
    ];
    assert_eq!(served.dealings, expected);
    let failure = served.result.expect_err("fails").to_string();
    assert_eq!(
        failure,
        "dispatch failed: parcels: handler panicked: no verdict"
    );
}
