//! The table of "What each broker can and cannot do": what the page says is what the crates answer.

use std::any::type_name;
use std::marker::PhantomData;
use std::time::Duration;

use ruststream::conformance::helpers::next_message;
use ruststream::memory::{
    ConnectedMemoryBroker, Discarding, MemoryBroker, MemoryPattern, MemoryPublisher,
    MemoryRequester, MemorySource, MemorySubscriber, Retaining,
};
use ruststream::testing::{InProcess, TestableBroker};
use ruststream::{
    AckError, BatchSubscriber, IncomingMessage, OutgoingMessage, OwnedTransactions, Publisher,
    RequestReply, Seekable, SubscriptionSource, TransactionalPublisher,
};
use ruststream_nats::{
    ConnectedNatsBroker, CoreSubject, CoreWildcard, JetStreamPublisher, JetStreamSubject,
    NatsBroker, NatsPublisher, NatsSubscriber,
};

const PATIENCE: Duration = Duration::from_secs(5);

type Core = <CoreSubject as SubscriptionSource<ConnectedNatsBroker>>::Subscriber;
type Stored = <JetStreamSubject as SubscriptionSource<ConnectedNatsBroker>>::Subscriber;
type Many = <MemoryPattern as SubscriptionSource<ConnectedMemoryBroker>>::Subscriber;

/// Whether a type implements a trait: the inherent constant, where it exists, is taken first.
macro_rules! has {
    ($type:ty: $($bound:tt)+) => {{
        #[allow(dead_code, reason = "only asked of a type that has no constant of its own")]
        trait Lacks {
            const HAS: bool = false;
        }
        impl<T: ?Sized> Lacks for T {}
        struct Probe<T: ?Sized>(PhantomData<T>);
        #[allow(dead_code, reason = "only asked of a type that implements it")]
        impl<T: ?Sized + $($bound)+> Probe<T> {
            const HAS: bool = true;
        }
        word(<Probe<$type>>::HAS)
    }};
}

fn word(has: bool) -> &'static str {
    if has { "yes" } else { "no" }
}

fn settled(answer: Result<(), AckError>) -> &'static str {
    match answer {
        Ok(()) => "yes",
        Err(AckError::Unsupported) => "no",
        Err(other) => panic!("neither done nor unsupported: {other}"),
    }
}

/// What deliveries of a source answer: ack, drop, requeue, delay, whether they are counted, and who makes copies.
async fn deliveries<C, Src>(connected: &C, source: Src, subject: &str) -> [&'static str; 6]
where
    C: TestableBroker + ruststream::ConnectedBroker,
    Src: SubscriptionSource<C>,
{
    let copies = type_name::<Src::Copies>().rsplit("::").next();
    let mut subscriber = source.subscribe(connected).await.expect("opened");
    for _ in 0..3 {
        connected.inject(OutgoingMessage::new(subject, b"1"));
    }
    let first = next_message(&mut subscriber, PATIENCE).await;
    let (delay, counts) = (first.supports_nack_after(), first.redelivery_count());
    let ack = settled(first.ack().await);
    let drop = settled(
        next_message(&mut subscriber, PATIENCE)
            .await
            .nack(false)
            .await,
    );
    let requeue = settled(
        next_message(&mut subscriber, PATIENCE)
            .await
            .nack(true)
            .await,
    );
    let copies = match copies.expect("a name") {
        _ if delay => "none are needed",
        "AddressedCopies" => "to its own name",
        "NamedCopies" => "to a name the mount gives",
        other => panic!("a kind that the page does not know: {other}"),
    };
    [
        ack,
        drop,
        requeue,
        word(delay),
        word(counts.is_some()),
        copies,
    ]
}

fn options<P: Publisher>() -> &'static str {
    match type_name::<P::Options>() {
        "()" => "none",
        name => name.rsplit("::").next().expect("a name"),
    }
}

fn row(name: &str, cells: &[&str]) -> String {
    format!("| {name} | {} |", cells.join(" | "))
}

#[tokio::test]
async fn the_page_says_what_the_crates_answer() {
    let memory = MemoryBroker::new()
        .connect_in_process()
        .await
        .expect("connected");
    let nats = NatsBroker::new("localhost")
        .connect_in_process()
        .await
        .expect("connected");
    let asked = [
        deliveries(&memory, MemorySource::new("quakes"), "quakes").await,
        deliveries(&nats, CoreSubject::new("quakes"), "quakes").await,
        deliveries(&nats, CoreWildcard::new("doors.*"), "doors.one").await,
        deliveries(&nats, JetStreamSubject::new("alerts", "ALERTS"), "alerts").await,
    ];
    let cell = |line: usize| asked.map(|answers| answers[line]);

    let (core, stored) = (has!(Core: BatchSubscriber), has!(Stored: BatchSubscriber));
    assert_eq!(has!(Many: BatchSubscriber), "yes");
    assert_eq!(has!(MemorySubscriber<Discarding>: Seekable), "no");
    assert_eq!(has!(MemorySubscriber<Retaining>: Seekable), "yes");
    let seeks = has!(NatsSubscriber: Seekable);
    let here = format!("`{}`", ruststream::memory::PARTITION_KEY_HEADER);
    let there = format!("`{}`", ruststream_nats::PARTITION_KEY_HEADER);

    let table = [
        "| | in-process | `CoreSubject`, bare name | `CoreWildcard` | `JetStreamSubject` |"
            .to_owned(),
        "|---|---|---|---|---|".to_owned(),
        row("takes an `ack`", &cell(0)),
        row("takes a `drop`", &cell(1)),
        row("brings back a `retry` by itself", &cell(2)),
        row("brings back a `retry_after` by itself", &cell(3)),
        row("counts deliveries by itself", &cell(4)),
        row("retry copies of the runtime", &cell(5)),
        row(
            "batches",
            &[has!(MemorySubscriber: BatchSubscriber), core, core, stored],
        ),
        row(
            "seeking",
            &["with a log (`retaining`)", seeks, seeks, seeks],
        ),
        row(
            "header that `by_key` goes by",
            &[&here, &there, &there, &there],
        ),
        String::new(),
        "| | `MemoryPublish` | `MemoryRequest` | `NatsPublish` | `JetStreamPublish` |".to_owned(),
        "|---|---|---|---|---|".to_owned(),
        row(
            "a transaction on a slot",
            &[
                has!(MemoryPublisher: TransactionalPublisher),
                has!(MemoryRequester: TransactionalPublisher),
                has!(NatsPublisher: TransactionalPublisher),
                has!(JetStreamPublisher: TransactionalPublisher),
            ],
        ),
        row(
            "transactions that are values",
            &[
                has!(MemoryPublisher: OwnedTransactions),
                has!(MemoryRequester: OwnedTransactions),
                has!(NatsPublisher: OwnedTransactions),
                has!(JetStreamPublisher: OwnedTransactions),
            ],
        ),
        row(
            "requests",
            &[
                has!(MemoryPublisher: RequestReply),
                has!(MemoryRequester: RequestReply),
                has!(NatsPublisher: RequestReply),
                has!(JetStreamPublisher: RequestReply),
            ],
        ),
        row(
            "options of one message",
            &[
                options::<MemoryPublisher>(),
                options::<MemoryRequester>(),
                options::<NatsPublisher>(),
                options::<JetStreamPublisher>(),
            ],
        ),
    ]
    .join("\n");

    let page = include_str!("../../../docs/guide/brokers.md");
    assert!(page.contains(&table), "the page has to say:\n{table}");
}
