//! What holds for every suite: CONF-01, CONF-03, CONF-04, CONF-07, CONF-08, CONF-09.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ruststream_conformance::harness::InProcessBroker;
use ruststream_conformance::in_process::Refusal;
use ruststream_conformance::message_shape::OptionCases;
use ruststream_conformance::settlement::Delay;
use ruststream_conformance::{
    capabilities, harness, in_process, lifecycle, message_shape, retry, settlement,
};
use ruststream_core::testing::Backlog;
use ruststream_core::{BrokerMoves, HeaderMap, NamedCopies, OutgoingMessage, Publisher, nonzero};

use super::support::*;

const VALUES: [Parcel; 2] = [Parcel(7), Parcel(9)];

type Suite = Pin<Box<dyn Future<Output = ()>>>;

async fn publish(connected: &ConnectedToy, name: &str, parcel: &Parcel) -> Result<(), ToyError> {
    let payload = format!("parcel {}", parcel.0);
    let message = OutgoingMessage::new(name, payload.as_bytes());
    connected.publisher().publish(message, None).await
}

async fn publish_gone(connected: &ConnectedToy, name: &str) -> Result<(), ToyError> {
    let message = OutgoingMessage::new(name, b"gone");
    connected.publisher().publish(message, None).await
}

fn slot(name: &str) -> Slot {
    <Slot>::new(name)
}

fn publisher(connected: &ConnectedToy) -> ToyPublisher {
    connected.publisher()
}

/// A suite with the label its failures begin with.
type Labelled = (&'static str, Suite);

fn labelled(label: &'static str, suite: impl Future<Output = ()> + 'static) -> Labelled {
    (label, Box::pin(suite))
}

/// Every suite that is a future, on brokers of its own (CONF-02: all are handed factories).
fn suites<MkBroker>(toys: impl Fn(Kind) -> MkBroker) -> Vec<Labelled>
where
    MkBroker: Fn() -> ToyBroker + Send + Sync + 'static,
{
    let mut suites = general(&toys);
    suites.extend(compared_with_a_server(&toys));
    suites.extend(of_capabilities(&toys));
    suites.extend(of_wholeness(&toys));
    suites.extend(of_shutdowns_and_drops(&toys));
    suites
}

fn general<MkBroker>(toys: &impl Fn(Kind) -> MkBroker) -> Vec<Labelled>
where
    MkBroker: Fn() -> ToyBroker + Send + Sync + 'static,
{
    let toy = || toys(Kind::Each);
    let moves = |name: &str| Slot::<BrokerMoves>::new(name);
    let keyed = |key: &[u8], headers: &mut HeaderMap| {
        headers.insert("partition-key", key.to_vec());
        None
    };
    let policy = ToyPublish { urgency: 1 };
    let cases = OptionCases::new(1).overrides(ToyOptions { urgency: Some(3) }, 3);
    vec![
        labelled("run_suite", harness::run_suite(toy())),
        labelled("lifecycle", harness::lifecycle(toy(), slot, publisher)),
        labelled(
            "shutdown_flushes",
            lifecycle::shutdown_flushes(toy(), slot, publisher, Backlog::Missed),
        ),
        labelled(
            "shared_handle_closes",
            lifecycle::shared_handle_closes(toy(), slot, publisher),
        ),
        labelled(
            "redelivery_address",
            retry::redelivery_address(toy(), slot, publisher),
        ),
        labelled(
            "broker_moves",
            retry::broker_moves(toys(Kind::Shared), moves, publisher, nonzero!(2)),
        ),
        labelled(
            "keyed order",
            message_shape::keyed_order(toy(), "letters", slot, publisher, keyed),
        ),
        labelled(
            "publish options",
            message_shape::publish_options(
                toy(),
                "letters",
                slot,
                policy,
                cases,
                ToyMessage::urgency,
            ),
        ),
    ]
}

fn compared_with_a_server<MkBroker>(toys: &impl Fn(Kind) -> MkBroker) -> Vec<Labelled>
where
    MkBroker: Fn() -> ToyBroker + Send + Sync + 'static,
{
    let (toy, group) = (|| toys(Kind::Each), || toys(Kind::Shared));
    let alone = settlement::suite(group(), slot, publisher, Duration::ZERO);
    let wildcard = Refusal::Subscription {
        source: slot("letters.*"),
    };
    vec![
        labelled("settlement ack consumes", async move {
            let _ = alone.await;
        }),
        labelled(
            "live settlement ack consumes",
            settlement::matches_in_process(group(), slot, publisher, Duration::ZERO),
        ),
        labelled(
            "backlog_matches_server",
            in_process::backlog_matches_server(toy(), publisher),
        ),
        labelled(
            "refuses_like_the_server against the server",
            in_process::refuses_like_the_server(toy(), publisher, [wildcard]),
        ),
    ]
}

fn of_capabilities<MkBroker>(toys: &impl Fn(Kind) -> MkBroker) -> Vec<Labelled>
where
    MkBroker: Fn() -> ToyBroker + Send + Sync + 'static,
{
    let toy = || toys(Kind::Each);
    vec![
        labelled("batches", capabilities::batches(toy(), slot, publisher)),
        labelled(
            "batch_seeking",
            capabilities::batch_seeking(toy(), slot, publisher),
        ),
        labelled("seeking", capabilities::seeking(toy(), slot, publisher)),
        labelled(
            "seeking_unknown_position",
            capabilities::seeking_unknown_position(toy(), slot, publisher, |_| 99),
        ),
        labelled(
            "request_reply",
            capabilities::request_reply(toy(), slot, publisher, publisher),
        ),
        labelled(
            "transactions",
            capabilities::transactions(toy(), slot, publisher),
        ),
        labelled(
            "owned_transactions",
            capabilities::owned_transactions(toy(), slot, publisher),
        ),
        labelled(
            "carries",
            capabilities::carries(toy(), slot, publisher, publish, publish_gone, &VALUES),
        ),
        labelled(
            "carries_batch",
            capabilities::carries_batch(toy(), slot, publisher, publish, publish_gone, &VALUES),
        ),
    ]
}

fn of_wholeness<MkBroker>(toys: &impl Fn(Kind) -> MkBroker) -> Vec<Labelled>
where
    MkBroker: Fn() -> ToyBroker + Send + Sync + 'static,
{
    let (toy, group) = (|| toys(Kind::Each), || toys(Kind::Shared));
    let named = |name: &str| Slot::<NamedCopies>::new(name);
    let moves = |name: &str| Slot::<BrokerMoves>::new(name);
    let keyed = |key: &[u8], headers: &mut HeaderMap| {
        headers.insert("partition-key", key.to_vec());
        None
    };
    vec![
        labelled("payloads", message_shape::payloads(toy(), slot, publisher)),
        labelled(
            "shows_without_credentials",
            message_shape::shows_without_credentials(toy(), slot, publisher, "hunter2"),
        ),
        labelled(
            "requeue_is_whole",
            settlement::requeue_is_whole(group(), named, publisher, Duration::ZERO, keyed),
        ),
        labelled(
            "delay_is_whole",
            settlement::delay_is_whole(
                group(),
                slot,
                publisher,
                Duration::from_hours(1),
                Delay::Redelivered,
            ),
        ),
        labelled(
            "move_is_whole",
            retry::move_is_whole(group(), moves, publisher, nonzero!(2)),
        ),
        labelled(
            "transactions_are_whole",
            capabilities::transactions_are_whole(toy(), slot, publisher),
        ),
        labelled(
            "owned_transactions_are_whole",
            capabilities::owned_transactions_are_whole(toy(), slot, publisher),
        ),
        labelled(
            "replies_are_whole",
            capabilities::replies_are_whole(toy(), slot, publisher, publisher),
        ),
        labelled(
            "batches_are_whole",
            capabilities::batches_are_whole(toy(), slot, publisher),
        ),
        labelled(
            "seeks_are_whole",
            capabilities::seeks_are_whole(toy(), slot, publisher),
        ),
        labelled(
            "concurrent_publishes",
            message_shape::concurrent_publishes(toy(), slot, publisher),
        ),
        labelled("publish_log", in_process::publish_log(toy())),
        labelled("one_coordinator", in_process::one_coordinator(toy())),
        labelled("routes", in_process::routes(group())),
    ]
}

fn of_shutdowns_and_drops<MkBroker>(toys: &impl Fn(Kind) -> MkBroker) -> Vec<Labelled>
where
    MkBroker: Fn() -> ToyBroker + Send + Sync + 'static,
{
    let (toy, group) = (|| toys(Kind::Each), || toys(Kind::Shared));
    vec![
        labelled(
            "stream_reopens",
            lifecycle::stream_reopens(toy(), slot, publisher),
        ),
        labelled(
            "unsettled_returns",
            lifecycle::unsettled_returns(group(), slot, publisher, Duration::ZERO),
        ),
        labelled(
            "late_settlements",
            lifecycle::late_settlements(group(), slot, publisher, Duration::ZERO),
        ),
        labelled(
            "others_stay_open",
            lifecycle::others_stay_open(toy(), slot, publisher),
        ),
        labelled(
            "dropped_subscription",
            lifecycle::dropped_subscription(group(), slot, publisher, Duration::ZERO),
        ),
        labelled(
            "dropped_subscription in process",
            in_process::dropped_subscription(toy()),
        ),
    ]
}

struct ConnectHangs;

impl Twist for ConnectHangs {
    fn connect<'a>(&'a self, _: &'a Arc<World>, _: Side) -> Task<'a, Result<Link, ToyError>> {
        hanging()
    }
}

// CONF-01, CONF-03, CONF-07: the label, the step, what came, what was asked; and no hanging run.
#[tokio::test(start_paused = true)]
async fn a_connect_that_hangs_fails_its_step_in_every_suite() {
    for (label, suite) in suites(|kind| toys(kind, ConnectHangs)) {
        let start = format!("{label}: connect");
        rejected(suite, &start, &[": no answer within 10s; "]).await;
    }
}

/// Answers `Unsupported` to every settlement.
struct SettlesNothing;

impl Twist for SettlesNothing {
    fn subscribe<'a>(
        &'a self,
        link: &'a Link,
        slot: &'a dyn Slotted,
    ) -> Task<'a, Result<Reader, ToyError>> {
        if slot.name().contains('*') {
            return now(Err(ToyError::Refused("wildcards")));
        }
        Honest.subscribe(link, slot)
    }

    fn ack(&self, delivery: Delivery) -> Settled<'_> {
        delivery.consume();
        unsupported()
    }

    fn nack(&self, delivery: Delivery, _: bool) -> Settled<'_> {
        delivery.consume();
        unsupported()
    }

    fn delays(&self) -> bool {
        false
    }

    fn dropped(&self, delivery: Delivery) {
        delivery.consume();
    }
}

// CONF-04
#[tokio::test(start_paused = true)]
async fn a_transport_that_settles_nothing_passes_every_suite() {
    for (_, suite) in suites(|kind| toys(kind, SettlesNothing)) {
        suite.await;
    }
}

/// Has no server.
struct ServerGone;

impl Twist for ServerGone {
    fn connect<'a>(
        &'a self,
        world: &'a Arc<World>,
        side: Side,
    ) -> Task<'a, Result<Link, ToyError>> {
        match side {
            Side::Server => now(Err(ToyError::Refused("to be dialled"))),
            Side::InProcess => Honest.connect(world, side),
        }
    }
}

// CONF-08
#[tokio::test(start_paused = true)]
async fn the_wrapper_takes_a_broker_in_process_without_its_server() {
    let toy = toys(Kind::Each, ServerGone);
    let live = harness::lifecycle(toy.clone(), slot, publisher);
    let told = ["it failed with: the toy refuses: to be dialled"];
    rejected(live, "lifecycle: connect: ", &told).await;
    let in_process = move || InProcessBroker::new(toy());
    harness::lifecycle(in_process, slot, publisher).await;
}

/// Its stream reports one error after an ack of a message that begins so.
struct ErrsAfter {
    acked: &'static str,
    due: AtomicBool,
}

fn errs_after(acked: &'static str) -> ErrsAfter {
    ErrsAfter {
        acked,
        due: AtomicBool::new(false),
    }
}

impl Twist for ErrsAfter {
    fn ack(&self, delivery: Delivery) -> Settled<'_> {
        if delivery.payload().starts_with(self.acked.as_bytes()) {
            self.due.store(true, Ordering::Relaxed);
        }
        Honest.ack(delivery)
    }

    fn next<'a>(&'a self, reader: &'a mut Reader) -> Task<'a, Option<Result<Delivery, ToyError>>> {
        if self.due.swap(false, Ordering::Relaxed) {
            return now(Some(Err(ToyError::Refused("once"))));
        }
        Box::pin(async { reader.next().await.map(Ok) })
    }
}

const ONCE: &str = "the subscription reported: the toy refuses: once";

// CONF-09: where a stream has to stay pending, an error is as bad as a delivery.
#[tokio::test(start_paused = true)]
async fn an_error_is_no_silence_where_a_stream_has_to_stay_pending() {
    let toy = |acked| toys(Kind::Each, errs_after(acked));
    let suite = harness::run_suite(toy("acknowledged"));
    rejected(suite, "run_suite: ack consumes: ", &[ONCE]).await;
    let suite = retry::redelivery_address(toy("control"), slot, publisher);
    rejected(suite, "redelivery_address: compare: ", &[ONCE]).await;
    let suite = capabilities::transactions(toy("committed, message 2"), slot, publisher);
    rejected(suite, "transactions: abort: ", &[ONCE]).await;
}

// CONF-09: elsewhere only a delivery is.
#[tokio::test(start_paused = true)]
async fn an_error_is_silence_elsewhere() {
    let toy = |acked| toys(Kind::Shared, errs_after(acked));
    harness::lifecycle(toy("from a new runtime"), slot, publisher).await;
    settlement::suite(toy("settled"), slot, publisher, Duration::ZERO).await;
    let unknown = |_: &str| 99;
    let suite = toy("after the seek");
    capabilities::seeking_unknown_position(suite, slot, publisher, unknown).await;
}
