//! `capabilities::carries` and `capabilities::carries_batch` (CONF-40, CONF-41, CONF-42).

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use ruststream_conformance::capabilities::{self, CopyPathCheck};
use ruststream_core::{
    AddressedCopies, BrokerMoves, CopyPath, HeaderMap, NamedCopies, OutgoingMessage, Publisher,
};
use tokio::time::sleep;

use super::support::*;

const VALUES: [Parcel; 4] = [Parcel(7), Parcel(7), Parcel(9), Parcel(11)];

/// Sets an option as well, which neither payload nor headers show.
async fn publish(connected: &ConnectedToy, name: &str, parcel: &Parcel) -> Result<(), ToyError> {
    let payload = format!("parcel {}", parcel.0);
    let message = OutgoingMessage::new(name, payload.as_bytes());
    let options = ToyOptions { urgency: Some(1) };
    connected.publisher().publish(message, Some(&options)).await
}

async fn publish_gone(connected: &ConnectedToy, name: &str) -> Result<(), ToyError> {
    let message = OutgoingMessage::new(name, b"gone");
    connected.publisher().publish(message, None).await
}

async fn carries(twist: impl Twist) {
    on_path::<AddressedCopies>(twist).await;
}

async fn on_path<Copies: CopyPath + CopyPathCheck>(twist: impl Twist) {
    capabilities::carries(
        toys(Kind::Each, twist),
        |name| Slot::<Copies>::new(name),
        |connected| connected.publisher(),
        publish,
        publish_gone,
        &VALUES,
    )
    .await;
}

async fn carries_batch(twist: impl Twist) {
    batch_on_path::<AddressedCopies>(twist).await;
}

async fn batch_on_path<Copies: CopyPath + CopyPathCheck>(twist: impl Twist) {
    capabilities::carries_batch(
        toys(Kind::Each, twist),
        |name| Slot::<Copies>::new(name),
        |connected| connected.publisher(),
        publish,
        publish_gone,
        &VALUES,
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn honest_values_pass_on_both_copying_paths() {
    carries(Honest).await;
    on_path::<NamedCopies>(Honest).await;
    carries_batch(Honest).await;
    batch_on_path::<NamedCopies>(Honest).await;
}

#[tokio::test(start_paused = true)]
async fn values_that_are_all_equal() {
    let equal = [Parcel(7), Parcel(7)];
    let suite = capabilities::carries(
        toys(Kind::Each, Honest),
        |name| <Slot>::new(name),
        |connected| connected.publisher(),
        publish,
        publish_gone,
        &equal,
    );
    rejected(
        suite,
        "carries: values: the values are [Parcel(7), Parcel(7)]",
        &[],
    )
    .await;
    let suite = capabilities::carries_batch(
        toys(Kind::Each, Honest),
        |name| <Slot>::new(name),
        |connected| connected.publisher(),
        publish,
        publish_gone,
        &equal,
    );
    rejected(
        suite,
        "carries_batch: values: the values are [Parcel(7), Parcel(7)]",
        &[],
    )
    .await;
}

/// Lends what it lent first.
#[derive(Default)]
struct Stale(Mutex<Option<Parcel>>);

impl Twist for Stale {
    fn carried(&self, delivery: &Delivery) -> Option<Parcel> {
        let mut first = self.0.lock().expect("not poisoned");
        if first.is_none() {
            *first = Parcel::of(delivery.letter());
        }
        first.clone()
    }
}

#[tokio::test(start_paused = true)]
async fn a_stale_value() {
    let told = ["Parcel(7) was lent, which was lent already or never published"];
    rejected(carries(Stale::default()), "carries: lend: ", &told).await;
    rejected(
        carries_batch(Stale::default()),
        "carries_batch: lend: ",
        &told,
    )
    .await;
}

struct LendsNothing;

impl Twist for LendsNothing {
    fn carried(&self, _: &Delivery) -> Option<Parcel> {
        None
    }
}

#[tokio::test(start_paused = true)]
async fn no_value() {
    rejected(
        carries(LendsNothing),
        "carries: lend: a delivery lends none",
        &[],
    )
    .await;
    let start = "carries_batch: lend: a batch of 4 deliveries lends 0 values";
    rejected(carries_batch(LendsNothing), start, &[]).await;
}

struct Placeholder;

impl Twist for Placeholder {
    fn carried(&self, delivery: &Delivery) -> Option<Parcel> {
        Parcel::of(delivery.letter()).or(Some(Parcel(0)))
    }
}

#[tokio::test(start_paused = true)]
async fn a_placeholder_for_a_value_that_is_gone() {
    rejected(
        carries(Placeholder),
        "carries: gone: Some(Parcel(0)) is lent",
        &[],
    )
    .await;
    let start = "carries_batch: gone last: [Parcel(0), Parcel(7)] was lent where Parcel(7)";
    rejected(carries_batch(Placeholder), start, &[]).await;
}

/// The value travels beside payload and headers, so that a copy of those has none.
struct BesideTheMessage;

impl Twist for BesideTheMessage {
    fn carried(&self, delivery: &Delivery) -> Option<Parcel> {
        let marked = delivery.letter().urgency == 1;
        marked.then(|| Parcel::of(delivery.letter())).flatten()
    }
}

// CORE-182
#[tokio::test(start_paused = true)]
async fn a_copy_without_the_value_on_either_copying_path() {
    let told = ["None is lent where Parcel(7) was"];
    rejected(carries(BesideTheMessage), "carries: copy: ", &told).await;
    rejected(
        on_path::<NamedCopies>(BesideTheMessage),
        "carries: copy: ",
        &told,
    )
    .await;
    let told = ["lends [] where Parcel(7) was due"];
    rejected(
        carries_batch(BesideTheMessage),
        "carries_batch: copy: ",
        &told,
    )
    .await;
    let suite = batch_on_path::<NamedCopies>(BesideTheMessage);
    rejected(suite, "carries_batch: copy: ", &told).await;
}

async fn publish_empty(
    connected: &ConnectedToy,
    name: &str,
    parcel: &Parcel,
) -> Result<(), ToyError> {
    let headers = HeaderMap::from_iter([("parcel", parcel.0.to_string())]);
    let message = OutgoingMessage::new(name, b"").with_headers(headers);
    connected.publisher().publish(message, None).await
}

fn no_publisher(_: &ConnectedToy) -> ToyPublisher {
    panic!("no copy is made where the broker moves deliveries")
}

// CORE-182
#[tokio::test(start_paused = true)]
async fn a_broker_that_moves_deliveries_with_empty_payloads_passes() {
    capabilities::carries(
        toys(Kind::Each, Honest),
        |name| Slot::<BrokerMoves>::new(name),
        no_publisher,
        publish_empty,
        publish_gone,
        &VALUES,
    )
    .await;
    capabilities::carries_batch(
        toys(Kind::Each, Honest),
        |name| Slot::<BrokerMoves>::new(name),
        no_publisher,
        publish_empty,
        publish_gone,
        &VALUES,
    )
    .await;
}

// Batches.

type Parts = (Vec<Parcel>, Vec<Delivery>);

/// Takes a batch apart as the function says.
struct Batches(fn(Vec<Delivery>) -> Parts);

impl Twist for Batches {
    fn carried_batch(&self, batch: Vec<Delivery>) -> (Vec<Parcel>, Vec<Delivery>) {
        (self.0)(batch)
    }
}

fn values(batch: &[Delivery]) -> Vec<Parcel> {
    let letters = batch.iter().map(Delivery::letter);
    letters.filter_map(Parcel::of).collect()
}

#[tokio::test(start_paused = true)]
async fn values_out_of_order_also_when_the_first_values_are_equal() {
    let twist = Batches(|batch| {
        let (mut values, batch) = Honest.carried_batch(batch);
        values.reverse();
        (values, batch)
    });
    let told = ["lends [Parcel(7)] where Parcel(9) was due"];
    rejected(carries_batch(twist), "carries_batch: order: ", &told).await;
}

#[tokio::test(start_paused = true)]
async fn more_values_than_deliveries() {
    let twist = Batches(|batch| {
        let (mut values, batch) = Honest.carried_batch(batch);
        values.push(Parcel(0));
        (values, batch)
    });
    let told = [
        "a batch of 4 deliveries lends 5 values",
        "no more values than it has",
    ];
    rejected(carries_batch(twist), "carries_batch: lend: ", &told).await;
}

#[tokio::test(start_paused = true)]
async fn a_gone_one_kept_in_front() {
    let twist = Batches(|batch| (values(&batch), batch));
    let told = ["lends [] where Parcel(7) was due"];
    rejected(carries_batch(twist), "carries_batch: gone last: ", &told).await;
}

#[tokio::test(start_paused = true)]
async fn an_empty_batch() {
    let twist = Batches(|_| (Vec::new(), Vec::new()));
    rejected(
        carries_batch(twist),
        "carries_batch: lend: an empty batch came",
        &[],
    )
    .await;
}

struct OneABatch;

impl Twist for OneABatch {
    fn next_batch<'a>(
        &'a self,
        reader: &'a mut Reader,
        _: usize,
    ) -> Task<'a, Option<Result<Vec<Delivery>, ToyError>>> {
        Honest.next_batch(reader, 1)
    }
}

#[tokio::test(start_paused = true)]
async fn one_message_a_batch_passes() {
    carries_batch(OneABatch).await;
}

struct NoRequeue;

impl Twist for NoRequeue {
    fn nack(&self, delivery: Delivery, requeue: bool) -> Settled<'_> {
        delivery.consume();
        if requeue { unsupported() } else { now(Ok(())) }
    }
}

#[tokio::test(start_paused = true)]
async fn a_transport_without_requeue_passes() {
    carries(NoRequeue).await;
    carries_batch(NoRequeue).await;
}

/// Hands out a delivery only when the one before is settled.
#[derive(Default)]
struct OneInFlight(AtomicUsize);

impl OneInFlight {
    async fn turn(&self) {
        while self.0.load(Ordering::Relaxed) > 0 {
            sleep(Duration::from_millis(1)).await;
        }
    }

    fn settled(&self) -> Settled<'_> {
        self.0.fetch_sub(1, Ordering::Relaxed);
        now(Ok(()))
    }
}

impl Twist for OneInFlight {
    fn next<'a>(&'a self, reader: &'a mut Reader) -> Task<'a, Option<Result<Delivery, ToyError>>> {
        Box::pin(async {
            self.turn().await;
            let next = reader.next().await?;
            self.0.fetch_add(1, Ordering::Relaxed);
            Some(Ok(next))
        })
    }

    fn next_batch<'a>(
        &'a self,
        reader: &'a mut Reader,
        _: usize,
    ) -> Task<'a, Option<Result<Vec<Delivery>, ToyError>>> {
        Box::pin(async { Some(self.next(reader).await?.map(|delivery| vec![delivery])) })
    }

    fn ack(&self, delivery: Delivery) -> Settled<'_> {
        delivery.consume();
        self.settled()
    }

    fn nack(&self, delivery: Delivery, requeue: bool) -> Settled<'_> {
        delivery.nack(requeue);
        self.settled()
    }
}

#[tokio::test(start_paused = true)]
async fn one_delivery_in_flight_passes() {
    carries(OneInFlight::default()).await;
    carries_batch(OneInFlight::default()).await;
}
