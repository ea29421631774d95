//! The path of a batch, over batches by hand.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use ruststream_core::codec::{Codec, CodecError};
use ruststream_core::{BytesMut, RetryDeclaration};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::Semaphore;

use super::*;
use crate::app::DispatchLoop;
use crate::deliver::testkit::{App, Belt, Depot, End, Parcel, belt, nonzero};
use crate::deliver::{InBatches, dispatch};
use crate::handle::Handle;
use crate::input::{Axis, Batch, BatchDeserialized, Deserialized, Input, SoloDeserialized};
use crate::layers::log_capture::LogCapture;
use crate::policy::{FailurePolicies, FailurePolicy};
use crate::poll::Sampler;
use crate::reply::NoAnswer;
use crate::workers::Workers;

/// Decodes decimal numbers, whatever is asked for.
#[derive(Debug, Clone, Copy)]
pub(in crate::deliver) struct Decimal;

impl Codec for Decimal {
    fn encode<T: Serialize>(&self, _: &T) -> Result<BytesMut, CodecError> {
        unreachable!("nothing is encoded")
    }
    fn decode<T: DeserializeOwned>(&self, bytes: &[u8]) -> Result<T, CodecError> {
        use serde::de::IntoDeserializer;
        let refused = |error: String| CodecError::Decode(error.into());
        let text = std::str::from_utf8(bytes).map_err(|error| refused(error.to_string()))?;
        let number: u32 = text
            .parse()
            .map_err(|_| refused(format!("`{text}` is no number")))?;
        T::deserialize(IntoDeserializer::<serde::de::value::Error>::into_deserializer(number))
            .map_err(|error| refused(error.to_string()))
    }
}

type Verdict = Result<(), Vec<HandlerOutcome>>;

/// A closure as the body of a batch.
struct Over<F>(F);

impl<F, Fut, C: Send> Handle<[u32], (), (), C> for Over<F>
where
    F: Fn(&[u32], &mut Context<'_, C>) -> Fut + Send + Sync,
    Fut: Future<Output = Verdict> + Send,
{
    fn handle(
        &self,
        input: &[u32],
        (): &(),
        ctx: &mut Context<'_, C>,
    ) -> impl Future<Output = Verdict> + Send {
        (self.0)(input, ctx)
    }
}

type Numbers<H, C = ()> =
    BatchSubscription<Vec<Parcel>, Batch<u32>, Decimal, H, (), (), NoAnswer, C, ()>;

/// The path of batches of numbers.
pub(in crate::deliver) fn subscription<H>(app: &App, body: H) -> Numbers<H> {
    under(app, FailurePolicies::default(), body)
}

fn under<B, Lane, H, C>(
    app: &App,
    policies: FailurePolicies,
    body: H,
) -> BatchSubscription<B, Lane, Decimal, H, (), (), NoAnswer, C, ()> {
    BatchSubscription {
        decoder: Decimal,
        body,
        outs: (),
        answer: NoAnswer,
        common: Common {
            site: app.site(policies),
            settlement: Settlement::new("parcels".into(), &RetryDeclaration::new(), None),
            service: app.service.clone(),
            sampler: Sampler::open(&app.service, "parcels", Workers::default()),
        },
        spare: SpareBatch::default(),
        lane: PhantomData,
    }
}

/// A batch body that acks once the test lets it.
pub(in crate::deliver) fn gated(
    gate: &Arc<Semaphore>,
) -> impl Handle<[u32], (), (), ()> + use<> + 'static {
    let gate = Arc::clone(gate);
    Over(move |_: &[u32], _: &mut Context<'_>| {
        let gate = Arc::clone(&gate);
        async move {
            gate.acquire().await.expect("open").forget();
            Ok(())
        }
    })
}

fn started<B, W>(depot: Depot<B>, work: W, workers: Workers) -> DispatchLoop
where
    Depot<B>: ruststream_core::BatchSubscriber<Batch = B, Message = Parcel>,
    B: Send + 'static,
    W: Work<B>,
{
    dispatch(
        InBatches {
            subscriber: depot,
            size: nonzero(16),
        },
        work,
        workers,
    )
    .expect("starts")
}

/// Runs batches to the end of their stream.
async fn run<H>(
    policies: FailurePolicies,
    batches: Vec<Vec<Parcel>>,
    belt: (Belt<Vec<Parcel>>, Depot<Vec<Parcel>>),
    body: H,
) -> (Vec<(u32, End)>, App)
where
    H: Handle<[u32], (), (), ()> + 'static,
{
    let app = App::new();
    let (belt, depot) = belt;
    for batch in batches {
        belt.put(batch);
    }
    let ledger = belt.ledger.clone();
    drop(belt);
    let work: Numbers<H> = under(&app, policies, body);
    started(depot, work, Workers::sequential()).await;
    let ends = ledger.read().ends.clone();
    (ends, app)
}

type Seen = Arc<Mutex<Vec<Vec<u32>>>>;

/// A body that notes what it sees and answers with `answer`.
fn noting<A>(seen: &Seen, answer: A) -> impl Handle<[u32], (), (), ()> + use<A> + 'static
where
    A: Fn(usize) -> Verdict + Send + Sync + 'static,
{
    let seen = Arc::clone(seen);
    Over(move |input: &[u32], _: &mut Context<'_>| {
        seen.lock().unwrap().push(input.to_vec());
        let answer = answer(input.len());
        async move { answer }
    })
}

fn parcels(belt: &mut Belt<Vec<Parcel>>, count: usize) -> Vec<Parcel> {
    (0..count).map(|_| belt.parcel()).collect()
}

// RUN-361, RUN-364
#[tokio::test]
async fn each_element_settles_by_its_own_verdict_in_the_order_of_the_batch() {
    let (mut belt, depot) = belt();
    let batches = vec![parcels(&mut belt, 2), parcels(&mut belt, 4)];
    let seen = Seen::default();
    let delay = Duration::from_secs(7);
    let body = noting(&seen, move |len| match len {
        2 => Ok(()),
        _ => Err(vec![
            HandlerOutcome::drop(),
            HandlerOutcome::ack(),
            HandlerOutcome::retry(),
            HandlerOutcome::retry_after(delay),
        ]),
    });
    let (ends, _app) = run(FailurePolicies::default(), batches, (belt, depot), body).await;

    let expected = [
        (0, End::Acked),
        (1, End::Acked),
        (2, End::Dropped),
        (3, End::Acked),
        (4, End::Requeued),
        (5, End::After(delay)),
    ];
    assert_eq!(ends, expected);
    assert_eq!(*seen.lock().unwrap(), [vec![0, 1], vec![2, 3, 4, 5]]);
}

// RUN-363
#[tokio::test]
async fn an_empty_batch_calls_nothing() {
    let (mut belt, depot) = belt();
    let batches = vec![Vec::new(), parcels(&mut belt, 1)];
    let seen = Seen::default();
    let body = noting(&seen, |_| Ok(()));
    let (ends, _app) = run(FailurePolicies::default(), batches, (belt, depot), body).await;

    assert_eq!(ends, [(0, End::Acked)]);
    assert_eq!(seen.lock().unwrap().len(), 1);
}

// RUN-362, RUN-303, trap 28
#[tokio::test]
async fn elements_that_do_not_decode_settle_before_the_body_and_leave_no_gap() {
    let log = LogCapture::start();
    let (mut belt, depot) = belt();
    let mixed = vec![
        belt.parcel(),
        belt.parcel().with_payload("one"),
        belt.parcel(),
        belt.parcel().unreadable("torn"),
        belt.parcel(),
    ];
    let hopeless = vec![belt.parcel().with_payload("")];
    let seen = Seen::default();
    let body = noting(&seen, |_| {
        Err(vec![
            HandlerOutcome::ack(),
            HandlerOutcome::drop(),
            HandlerOutcome::ack(),
        ])
    });
    let policies = FailurePolicies::default().with_decode(FailurePolicy::Retry);
    let (ends, app) = run(policies, vec![mixed, hopeless], (belt, depot), body).await;

    let expected = [
        (1, End::Requeued),
        (3, End::Requeued),
        (0, End::Acked),
        (2, End::Dropped),
        (4, End::Acked),
        (5, End::Requeued),
    ];
    assert_eq!(ends, expected);
    assert_eq!(*seen.lock().unwrap(), [vec![0, 2, 4]]);
    assert_eq!(app.failure(), None);
    let mut lines = log.take();
    lines.retain(|line| line.starts_with("WARN"));
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert!(lines[0].starts_with("WARN ruststream::dispatch: codec decode failed"));
    assert!(lines[1].contains("the broker reports the delivery does not decode"));
}

// RUN-303, trap 2
#[tokio::test]
async fn a_decode_failure_under_fail_fast_drops_its_delivery_and_tells_of_the_batch() {
    let (mut belt, depot) = belt();
    let batch = vec![belt.parcel().with_payload("one"), belt.parcel()];
    let policies = FailurePolicies::default().with_decode(FailurePolicy::FailFast);
    let body = noting(&Seen::default(), |_| Ok(()));
    let (ends, app) = run(policies, vec![batch], (belt, depot), body).await;

    assert_eq!(ends, [(0, End::Dropped), (1, End::Acked)]);
    let reason = "parcels: batch decode failed: `one` is no number";
    assert_eq!(app.failure().as_deref(), Some(reason));
}

// RUN-306, RUN-365, traps 20 and 30
#[tokio::test]
async fn a_panic_settles_nothing_of_the_batch_and_the_next_one_goes_on() {
    type Case = (fn(usize) -> Verdict, &'static str);
    let cases: [Case; 2] = [
        (
            |len| if len == 3 { panic!("heavy") } else { Ok(()) },
            "heavy",
        ),
        (
            |len| {
                if len == 3 {
                    Err(vec![HandlerOutcome::ack()])
                } else {
                    Ok(())
                }
            },
            "subscriber 'parcels' returned 1 per-element outcomes for a batch of 3",
        ),
    ];
    for (answer, text) in cases {
        for policy in [FailurePolicy::Retry, FailurePolicy::FailFast] {
            let log = LogCapture::start();
            let (mut belt, depot) = belt();
            let batches = vec![parcels(&mut belt, 3), parcels(&mut belt, 1)];
            let policies = FailurePolicies::default().with_panic(policy);
            let body = noting(&Seen::default(), answer);
            let (mut ends, app) = run(policies, batches, (belt, depot), body).await;

            let fails = policy == FailurePolicy::FailFast;
            ends.truncate(3);
            assert_eq!(ends, [(0, End::Left), (1, End::Left), (2, End::Left)]);
            let reason = format!("parcels: batch handler panicked: {text}");
            assert_eq!(app.failure(), fails.then_some(reason));
            let line = format!(
                "ERROR ruststream::dispatch: batch handler panicked subscription=parcels panic={text}"
            );
            let lines = log.take();
            assert!(lines.contains(&line), "{lines:?}");
        }
    }
}

// RUN-293, RUN-283
#[tokio::test]
async fn work_follows_its_element_and_hooks_of_the_batch_its_last() {
    let (mut belt, depot) = belt();
    let ledger = belt.ledger.clone();
    let batches = vec![parcels(&mut belt, 2)];
    let ran: Arc<Mutex<Vec<(&str, usize)>>> = Arc::default();
    let note = {
        let (ran, ledger) = (Arc::clone(&ran), ledger.clone());
        move |name: &'static str| {
            let (ran, ledger) = (Arc::clone(&ran), ledger.clone());
            async move { ran.lock().unwrap().push((name, ledger.read().ends.len())) }
        }
    };
    let body = Over(move |_: &[u32], ctx: &mut Context<'_>| {
        ctx.after_settle(note("settle"));
        ctx.after_ack(note("ack"));
        ctx.after(HandlerOutcome::drop()).then(note("drop"));
        let first = HandlerOutcome::ack().and_after(note("first"));
        let second = HandlerOutcome::ack().and_after(note("second"));
        async move { Err(vec![first, second]) }
    });
    let (_, app) = run(FailurePolicies::default(), batches, (belt, depot), body).await;
    app.service.continuations().wait().await;

    assert_eq!(
        *ran.lock().unwrap(),
        [("first", 2), ("second", 2), ("settle", 2)]
    );
}

/// The number of the first delivery of a batch.
struct First(u32);

impl BuildBatchContext<Parcel> for First {
    fn build(first: &Parcel) -> Self {
        Self(first.id)
    }
}

struct FirstId;

impl ruststream_core::Field<First> for FirstId {
    type Value<'a> = u32;
    fn get(self, first: &First) -> u32 {
        first.0
    }
}

// RUN-367, trap 29
#[tokio::test]
async fn the_context_is_that_of_the_first_delivery_and_has_no_headers() {
    let app = App::new();
    let (mut belt, depot) = belt();
    let bad = belt
        .parcel()
        .with_payload("one")
        .with_header("tenant", "north");
    let good = belt.parcel().with_header("tenant", "north");
    belt.put(vec![bad, good]);
    drop(belt);
    let told: Arc<Mutex<Vec<(u32, usize, String)>>> = Arc::default();
    let noted = Arc::clone(&told);
    let body = Over(move |_: &[u32], ctx: &mut Context<'_, First>| {
        let line = (
            ctx.context(FirstId),
            ctx.headers().len(),
            ctx.name().to_owned(),
        );
        noted.lock().unwrap().push(line);
        async { Ok(()) }
    });
    let work: Numbers<_, First> = under(&app, FailurePolicies::default(), body);
    started(depot, work, Workers::sequential()).await;

    assert_eq!(*told.lock().unwrap(), [(0, 0, "parcels".to_owned())]);
}

/// Panics where it is decoded.
struct Bomb;

impl<'de> serde::Deserialize<'de> for Bomb {
    fn deserialize<D: serde::Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        panic!("a bomb")
    }
}

struct Disarm;

impl Handle<[Bomb]> for Disarm {
    async fn handle(&self, _: &[Bomb], (): &(), _: &mut Context<'_>) -> Verdict {
        unreachable!("no bomb decodes")
    }
}

// RUN-304, RUN-306
#[tokio::test]
async fn a_panic_of_the_decoding_is_one_of_the_batch() {
    let app = App::new();
    let (mut belt, depot) = belt();
    belt.put_batches(&[2]);
    let ledger = belt.ledger.clone();
    drop(belt);
    let work = under::<_, Batch<Bomb>, _, ()>(&app, FailurePolicies::default(), Disarm);
    started(depot, work, Workers::sequential()).await;

    assert_eq!(ledger.read().ends, [(0, End::Left), (1, End::Left)]);
    assert_eq!(
        app.failure().as_deref(),
        Some("parcels: batch handler panicked: a bomb")
    );
}

/// A view of a payload that is not empty.
struct Frame<'a>(&'a [u8]);

impl Deserialized for Frame<'_> {
    type Output<'a> = Frame<'a>;
    type Error = &'static str;
    fn from_payload(payload: &[u8]) -> Result<Frame<'_>, &'static str> {
        if payload.is_empty() {
            Err("empty frame")
        } else {
            Ok(Frame(payload))
        }
    }
}

impl Input for Frame<'_> {
    type Axis = SoloDeserialized<Frame<'static>>;
}

struct Frames(Arc<Mutex<Vec<Vec<Vec<u8>>>>>);

impl Handle<[Frame<'_>]> for Frames {
    async fn handle(&self, input: &[Frame<'_>], (): &(), _: &mut Context<'_>) -> Verdict {
        let seen = input.iter().map(|frame| frame.0.to_vec()).collect();
        self.0.lock().unwrap().push(seen);
        tokio::task::yield_now().await;
        Err(input.iter().map(|_| HandlerOutcome::drop()).collect())
    }
}

// RUN-362, RUN-303, trap 28
#[tokio::test]
async fn views_that_cannot_be_built_settle_in_turn_with_the_rest() {
    let log = LogCapture::start();
    let app = App::new();
    let (mut belt, depot) = belt();
    let parcels = vec![
        belt.parcel().with_payload(""),
        belt.parcel(),
        belt.parcel().unreadable("torn"),
        belt.parcel(),
    ];
    belt.put(parcels);
    let hopeless = belt.parcel().with_payload("");
    belt.put(vec![hopeless]);
    let ledger = belt.ledger.clone();
    drop(belt);
    let frames = Frames(Arc::default());
    let seen = Arc::clone(&frames.0);
    let policies = FailurePolicies::default().with_decode(FailurePolicy::Skip);
    let work = under::<_, BatchDeserialized<Frame<'static>>, _, ()>(&app, policies, frames);
    started(depot, work, Workers::sequential()).await;

    let expected = [
        (0, End::Acked),
        (1, End::Dropped),
        (2, End::Acked),
        (3, End::Dropped),
        (4, End::Acked),
    ];
    assert_eq!(ledger.read().ends, expected);
    assert_eq!(*seen.lock().unwrap(), [[b"1".to_vec(), b"3".to_vec()]]);
    let lines = log.take();
    assert!(
        lines
            .iter()
            .any(|line| line.contains("payload construction failed")),
        "{lines:#?}"
    );
}

// RUN-303
#[tokio::test]
async fn a_construction_failure_under_fail_fast_tells_of_the_batch() {
    let app = App::new();
    let (mut belt, depot) = belt();
    let empty = belt.parcel().with_payload("");
    belt.put(vec![empty]);
    drop(belt);
    let policies = FailurePolicies::default().with_decode(FailurePolicy::FailFast);
    let frames = Frames(Arc::default());
    let work = under::<_, BatchDeserialized<Frame<'static>>, _, ()>(&app, policies, frames);
    started(depot, work, Workers::sequential()).await;

    let reason = "parcels: batch payload construction failed: empty frame";
    assert_eq!(app.failure().as_deref(), Some(reason));
}

// RUN-230
#[tokio::test]
async fn batches_run_on_workers_and_on_threads() {
    for workers in [
        Workers::pool(nonzero(3)),
        Workers::keyed(nonzero(3)),
        Workers::threads(nonzero(2)),
        Workers::threads_keyed(nonzero(2)),
    ] {
        let app = App::new();
        let (mut belt, depot) = belt();
        belt.put_batches(&[3; 50]);
        let ledger = belt.ledger.clone();
        drop(belt);
        let body = Over(|_: &[u32], _: &mut Context<'_>| async {
            tokio::task::yield_now().await;
            Ok(())
        });
        started(depot, subscription(&app, body), workers).await;

        assert!(
            ledger
                .sorted()
                .into_iter()
                .eq((0..150).map(|id| (id, End::Acked)))
        );
    }
}

fn family<A: Axis>() {}

// RUN-190
#[test]
fn a_slice_rides_the_batch_lane_of_its_element() {
    family::<<[u32] as Input>::Axis>();
    family::<<[Frame<'static>] as Input>::Axis>();
}
