//! Batches that lend their values whole (RUN-430 to RUN-434, RUN-352).

use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::{Arc, Mutex};
use std::vec;

use futures_core::Stream;
use futures_util::TryStreamExt;
use ruststream_core::{
    AddressedCopies, BatchSubscriber, BuildBatchContext, Carries, CarriesBatch, Field, IntoSource,
    RedeliveryAddress, RedeliveryAddressed, Subscribe, Subscriber, SubscriptionSource, nonzero,
};
use ruststream_runtime::{
    Context, FailurePolicies, FailurePolicy, ForReply, Handle, HandlerOutcome, Input, Outgoing,
    PublishContext, PublishTransform, Reads, SoloCarried, SubscriberSettings, subscriber,
};

use crate::depot::{
    Belt, ConnectedDepot, Hub, Logs, Parcel, Publish, Refused, lines, parcel, parcels, run,
};

#[derive(Debug, Clone)]
struct Weight(u32);

impl Input for Weight {
    type Axis = SoloCarried<Weight>;
}

impl Carries<Weight> for Parcel {
    fn carried(&self) -> Option<&Weight> {
        None
    }
}

/// A batch that lends so many values, whatever it holds.
struct Rack {
    weights: Vec<Weight>,
    parcels: Vec<Parcel>,
}

impl IntoIterator for Rack {
    type Item = Parcel;
    type IntoIter = vec::IntoIter<Parcel>;
    fn into_iter(self) -> Self::IntoIter {
        self.parcels.into_iter()
    }
}

impl CarriesBatch<Weight> for Rack {
    fn carried(&self) -> &[Weight] {
        &self.weights
    }
}

/// The descriptor of a subscription that lends so many values with each batch.
#[derive(Debug, Clone, Copy)]
struct Racks {
    lent: u32,
}

struct RackBelt(Belt, Racks);

impl IntoSource for Racks {
    type Source = Self;
    fn into_source(self) -> Self {
        self
    }
}

impl SubscriptionSource<ConnectedDepot> for Racks {
    type Subscriber = RackBelt;
    type Copies = AddressedCopies;
    fn name(&self) -> &'static str {
        "racks"
    }
    async fn subscribe(self, connected: &ConnectedDepot) -> Result<RackBelt, Refused> {
        Ok(RackBelt(connected.subscribe("racks").await?, self))
    }
}

impl RedeliveryAddressed<ConnectedDepot> for Racks {
    async fn redelivery_address(&self, _: &ConnectedDepot) -> Result<RedeliveryAddress, Refused> {
        Ok(RedeliveryAddress::new("racks"))
    }
}

impl Subscriber for RackBelt {
    type Message = Parcel;
    type Error = Refused;
    fn stream(&mut self) -> impl Stream<Item = Result<Parcel, Refused>> + Send + '_ {
        self.0.stream()
    }
}

impl BatchSubscriber for RackBelt {
    type Batch = Rack;
    fn batches(
        &mut self,
        size: NonZeroUsize,
    ) -> impl Stream<Item = Result<Rack, Refused>> + Send + '_ {
        let lent = self.1.lent;
        self.0.batches(size).map_ok(move |parcels| Rack {
            weights: (0..lent).map(Weight).collect(),
            parcels,
        })
    }
}

/// What a context was built from.
struct From(&'static str, u32);

impl BuildBatchContext<Rack> for From {
    fn build(rack: &Rack) -> Self {
        Self("rack", u32::try_from(rack.parcels.len()).unwrap())
    }
}

impl BuildBatchContext<Parcel> for From {
    fn build(parcel: &Parcel) -> Self {
        Self("parcel", parcel.id)
    }
}

struct Origin;

impl Field<From> for Origin {
    type Value<'a> = String;
    fn get(self, from: &From) -> String {
        format!("{} {}", from.0, from.1)
    }
}

struct Weigh {
    seen: Arc<Mutex<Vec<String>>>,
    verdict: fn() -> HandlerOutcome,
}

impl Handle<[Weight], (), (), From> for Weigh {
    async fn handle(
        &self,
        input: &[Weight],
        (): &(),
        ctx: &mut Context<'_, From>,
    ) -> Result<(), Vec<HandlerOutcome>> {
        let last = input.last().map(|weight| weight.0);
        assert_eq!(last, Some(u32::try_from(input.len()).unwrap() - 1));
        let line = format!("{} from {}", input.len(), ctx.context(Origin));
        self.seen.lock().unwrap().push(line);
        tokio::task::yield_now().await;
        Err(input.iter().map(|_| (self.verdict)()).collect())
    }
}

/// Runs batches under a policy; answers the journal, what the body saw and the failure.
async fn weighed(
    lent: u32,
    policy: FailurePolicy,
    batches: Vec<Vec<Parcel>>,
) -> (Vec<String>, Vec<String>, Option<String>) {
    let hub = Hub::with(batches);
    let body = Weigh {
        seen: Arc::default(),
        verdict: HandlerOutcome::ack,
    };
    let seen = Arc::clone(&body.seen);
    let ran = run(&hub, |scope| {
        let policies = FailurePolicies::default().with_decode(policy);
        let def = subscriber(Racks { lent }, body)
            .batch(nonzero!(8))
            .on_failure(policies)
            .undocumented()
            .build();
        scope.include(def);
    })
    .await;
    let seen = seen.lock().unwrap().clone();
    let failure = ran.failure();
    (ran.journal, seen, failure)
}

// RUN-430, RUN-433, RUN-367
#[tokio::test]
async fn a_body_sees_the_lent_slice_and_the_context_of_the_batch() {
    let (journal, seen, failure) = weighed(3, FailurePolicy::Drop, vec![parcels(0..3)]).await;

    assert_eq!(seen, ["3 from rack 3"]);
    assert_eq!(lines(&journal), ["ack 0", "ack 1", "ack 2"]);
    assert_eq!(failure, None);
}

// RUN-433, RUN-303
#[tokio::test]
async fn deliveries_beyond_the_slice_settle_by_the_decode_policy() {
    let (journal, seen, failure) = weighed(1, FailurePolicy::FailFast, vec![parcels(0..3)]).await;

    assert_eq!(seen, ["1 from rack 3"]);
    assert_eq!(lines(&journal), ["ack 0", "drop 1", "drop 2"]);
    let failure = failure.expect("failed");
    let reason = "racks: batch delivery carries no value: the delivery carries no `";
    assert!(failure.starts_with(reason), "{failure}");
}

// RUN-433
#[tokio::test]
async fn values_beyond_the_deliveries_settle_nothing() {
    let logs = Logs::start();
    let (journal, seen, failure) = weighed(4, FailurePolicy::Drop, vec![parcels(0..2)]).await;

    assert_eq!(seen, ["4 from rack 2"]);
    assert_eq!(lines(&journal), ["ack 0", "ack 1"]);
    assert_eq!(failure, None);
    let line = logs.line("the batch lends more values than it has deliveries");
    assert!(line.starts_with("ERROR ruststream::dispatch: "));
    assert!(
        line.contains("subscription=racks") && line.ends_with("lent=4 delivered=2"),
        "{line}"
    );
}

// RUN-433, RUN-363
#[tokio::test]
async fn a_batch_that_lends_nothing_calls_no_body() {
    let (journal, seen, _) = weighed(0, FailurePolicy::Retry, vec![parcels(0..2)]).await;

    assert_eq!(seen, [""; 0]);
    assert_eq!(lines(&journal), ["requeue 0", "requeue 1"]);
}

struct Stamp;

impl<Options> PublishTransform<ForReply<From>, Options> for Stamp {
    type Destination = Reads;
    fn apply(
        &self,
        out: &mut Outgoing<'_>,
        _: &mut Option<Options>,
        cx: &PublishContext<'_, From>,
    ) {
        out.headers_mut().insert("seen", cx.context(Origin));
    }
}

// RUN-352, RUN-366, CORE-195
#[tokio::test]
async fn a_lent_batch_is_not_checked_and_its_copies_have_contexts_of_their_own() {
    let hub = Hub::with(vec![vec![parcel(0).delivered(9), parcel(1)]]);
    let body = Weigh {
        seen: Arc::default(),
        verdict: HandlerOutcome::retry,
    };
    let seen = Arc::clone(&body.seen);
    let ran = run(&hub, |scope| {
        let def = subscriber(Racks { lent: 2 }, body)
            .batch(nonzero!(8))
            .undocumented()
            .build();
        scope
            .include(def)
            .max_attempts(NonZeroU32::new(2).unwrap())
            .out_retry(Publish::default())
            .transform(Stamp);
    })
    .await;

    assert_eq!(*seen.lock().unwrap(), ["2 from rack 2"]);
    let copy = "publish racks 1 seen=parcel 1 x-ruststream-retry-count=1";
    assert_eq!(lines(&ran.journal), ["drop 0", copy, "drop 1"]);
}
