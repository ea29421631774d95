//! What is in scope behind the crate's glob, and nothing else (NATS-05, NATS-06, NATS-54).

// CORE-276: were either in the crate's glob too, its name below would be ambiguous.
mod free {
    pub(super) struct Partitioned;
    pub(super) struct BatchSubscriber;
}

use free::*;
use ruststream_nats::prelude::*;

/// The core traits are still themselves.
fn publishes<T: Publisher>(_: &T) {}
fn requests<T: RequestReply>(_: &T) {}
fn pairs<C: ruststream::ConnectedBroker, T: PublishPolicy<C>>(_: &T) {}

#[subscriber(CoreSubject)]
async fn sorts(_entry: &u64) {}

#[subscriber(CoreWildcard)]
async fn watches(_entry: &u64) {}

#[subscriber(JetStreamSubject::new("ledger.*", "LEDGER"), reply("booked"))]
async fn books(
    entry: &u64,
    Ctx(_stream): Ctx<Stream>,
    Ctx(_consumer): Ctx<Consumer>,
    Ctx(_sequence): Ctx<StreamSequence>,
    Ctx(_nth): Ctx<ConsumerSequence>,
    Ctx(_delivered): Ctx<Delivered>,
    Ctx(_pending): Ctx<Pending>,
) -> String {
    entry.to_string()
}

// CORE-275
#[test]
fn publish_is_the_policy_as_a_type_and_as_a_value() {
    let _: Publish = Publish;
    let _: fn() -> Publish = Default::default;
    let _: JetStreamPublish = JetStreamPublish::default();
    let _: Option<NatsError> = None;
    let _: Option<(JetStreamContext, JetStreamBatchContext)> = None;
    let _ = JetStreamOptions::default();
    let _ = DeliverPolicy::New;
    let _ = (Partitioned, BatchSubscriber);
}

/// Ambiguous for what has a default.
trait Chosen<Way> {
    const BY_THE_USER: bool = true;
}

impl<T> Chosen<()> for T {}

impl<T: Default> Chosen<u8> for T {}

// CORE-271: where the server is, and which stream is read, is the user's to say.
#[test]
fn what_has_no_sane_value_has_no_default() {
    const { assert!(NatsBroker::BY_THE_USER && JetStreamSubject::BY_THE_USER) };
}

// CORE-273, RUN-163: on a definition and on a builder, before and after the framework's own steps
#[test]
fn the_words_of_the_descriptors_follow_each_other_at_the_mount() {
    let _ = RustStream::new(AppInfo::new("books", "1.0.0")).with_broker(
        NatsBroker::new("nats://nobody:4222"),
        |b| {
            let wait = std::time::Duration::from_millis(25);
            b.include(
                sorts
                    .name("scans")
                    .queue_group("w")
                    .max_wait(wait)
                    .workers(nonzero!(2)),
            );
            b.include(watches.name("scans.*").queue_group("w"))
                .out_retry(Publish)
                .to("scans.again");
            let ledger = books
                .durable("book")
                .filter_subject("ledger.a")
                .ack_wait(NonZeroDuration::from_secs(nonzero!(60)))
                .max_ack_pending(10)
                .deliver_policy(DeliverPolicy::New)
                .pull_expires(NonZeroDuration::from_secs(nonzero!(1)));
            b.include(ledger)
                .out_reply(JetStreamPublish::default())
                .expect_stream("BOOKED")
                .max_attempts(nonzero!(3u32))
                .out_retry(JetStreamPublish::default())
                .expect_stream("LEDGER")
                .to("ledger.again");
        },
    );
}

// CORE-286
#[tokio::test]
async fn the_live_publishers_have_the_capabilities() {
    let connected = crate::support::connect().await;
    let publisher = connected.publisher(Publish);
    publishes(&publisher);
    requests(&publisher);
    publishes(&connected.publisher(JetStreamPublish::default()));
    pairs::<ruststream_nats::ConnectedNatsBroker, _>(&Publish);
}
