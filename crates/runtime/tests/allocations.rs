//! In steady state no driver allocates for a delivery, on whatever thread it is handled.
//!
//! The counter is that of the whole process, so there is one test, and nothing runs beside it. The
//! stream of a run marks the count at a first delivery, once buffers have grown, and at a last one.

use std::alloc::System;
use std::convert::Infallible;
use std::fmt::Display;
use std::num::NonZeroUsize;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;

use futures_core::Stream;
use ruststream_core::codec::{Codec, CodecError};
use ruststream_core::{
    AckError, AddressedCopies, BatchSubscriber, Broker, BytesMut, CallerName, ConnectedBroker,
    DefaultPublish, DescribeServer, HeaderMap, IncomingMessage, Lend, OutgoingDestination,
    OutgoingMessage, PairError, PublishPolicy, Publisher, ServerSpec, Subscribe, Subscriber,
};
use ruststream_runtime::{
    AppInfo, BrokerScope, Context, Deserialized, Handle, HandlerOutcome, Input, RustStream,
    SoloDeserialized, SubscriberSettings, subscriber,
};
use serde::Serialize;
use serde::de::{DeserializeOwned, IntoDeserializer, value};
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
use tokio::sync::Notify;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const BATCH: usize = 4;
const GROWN: usize = 1_000;
const LAST: usize = GROWN + 2_000;
/// More than any driver may hold after the last one.
const ALL: usize = LAST + 1_000;

fn allocations() -> usize {
    let stats = ALLOCATOR.stats();
    stats.allocations + stats.reallocations
}

/// The counters of one run.
#[derive(Default)]
struct Gauge {
    taken: AtomicUsize,
    settled: AtomicUsize,
    published: AtomicUsize,
    /// Allocations before the first counted item and before the last.
    first: AtomicUsize,
    last: AtomicUsize,
    done: Notify,
}

impl Gauge {
    /// Counts an item taken; `false` ends the stream.
    fn take(&self, all: usize) -> bool {
        let taken = self.taken.fetch_add(1, Ordering::SeqCst);
        if taken == GROWN {
            self.first.store(allocations(), Ordering::SeqCst);
        }
        if taken == LAST {
            self.last.store(allocations(), Ordering::SeqCst);
        }
        taken < all
    }

    fn settle(&self, all: usize) {
        if self.settled.fetch_add(1, Ordering::SeqCst) + 1 == all {
            self.done.notify_one();
        }
    }
}

struct Parcel {
    gauge: Arc<Gauge>,
    all: usize,
    key: [u8; 1],
}

static NO_HEADERS: HeaderMap = HeaderMap::new();

impl IncomingMessage for Parcel {
    fn payload(&self) -> &[u8] {
        b"900"
    }
    fn headers(&self) -> &HeaderMap {
        &NO_HEADERS
    }
    fn partition_key(&self) -> Option<&[u8]> {
        Some(&self.key)
    }
    async fn ack(self) -> Result<(), AckError> {
        self.gauge.settle(self.all);
        Ok(())
    }
    async fn nack(self, _requeue: bool) -> Result<(), AckError> {
        panic!("every parcel is acked")
    }
}

/// A broker whose subscription has so many deliveries at once.
struct Depot(Arc<Gauge>);
struct ConnectedDepot(Arc<Gauge>);
struct Belt(Arc<Gauge>);

impl Broker for Depot {
    type Error = Infallible;
    type Connected = ConnectedDepot;
    async fn connect(self) -> Result<ConnectedDepot, Infallible> {
        Ok(ConnectedDepot(self.0))
    }
}

impl DescribeServer for Depot {
    fn describe_server(&self) -> ServerSpec {
        ServerSpec::new("depot", "depot")
    }
}

impl ConnectedBroker for ConnectedDepot {
    type Error = Infallible;
    type Closed = ();
    async fn shutdown(self) -> Result<(), Infallible> {
        Ok(())
    }
}

impl Subscribe for ConnectedDepot {
    type Subscriber = Belt;
    type Copies = AddressedCopies;
    async fn subscribe(&self, _name: &str) -> Result<Belt, Infallible> {
        Ok(Belt(Arc::clone(&self.0)))
    }
}

impl Belt {
    fn parcel(&self, all: usize) -> Parcel {
        let key = self.0.taken.load(Ordering::Relaxed).to_le_bytes()[0];
        Parcel {
            gauge: Arc::clone(&self.0),
            all,
            key: [key % 7],
        }
    }
}

impl Subscriber for Belt {
    type Message = Parcel;
    type Error = Infallible;
    fn stream(&mut self) -> impl Stream<Item = Result<Parcel, Infallible>> + Send + '_ {
        futures_util::stream::poll_fn(|_| {
            if self.0.take(ALL) {
                Poll::Ready(Some(Ok(self.parcel(ALL))))
            } else {
                Poll::Pending
            }
        })
    }
}

impl BatchSubscriber for Belt {
    /// A batch that costs its broker nothing.
    type Batch = [Parcel; BATCH];
    fn batches(
        &mut self,
        _size: NonZeroUsize,
    ) -> impl Stream<Item = Result<[Parcel; BATCH], Infallible>> + Send + '_ {
        futures_util::stream::poll_fn(|_| {
            if self.0.take(ALL) {
                let batch = std::array::from_fn(|_| self.parcel(ALL * BATCH));
                Poll::Ready(Some(Ok(batch)))
            } else {
                Poll::Pending
            }
        })
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct Publish;

struct Clerk(Arc<Gauge>);

impl PublishPolicy<ConnectedDepot> for Publish {
    type Live = Clerk;
    async fn pair(self, connected: &ConnectedDepot) -> Result<Clerk, PairError> {
        Ok(Clerk(Arc::clone(&connected.0)))
    }
}

impl DefaultPublish for ConnectedDepot {
    type Policy = Publish;
}

impl Publisher for Clerk {
    type Payload = Lend;
    type Error = Infallible;
    type Options = ();
    async fn publish(
        &self,
        message: OutgoingMessage<'_, &[u8]>,
        _options: Option<&()>,
    ) -> Result<(), Infallible> {
        assert_eq!(message.payload(), b"900 grams");
        self.0.published.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }
}

/// Decimal numbers in, nine bytes out.
#[derive(Debug, Clone, Copy)]
struct Plain;

impl Codec for Plain {
    fn encode<T: Serialize>(&self, value: &T) -> Result<BytesMut, CodecError> {
        let mut buf = BytesMut::new();
        self.encode_into(value, &mut buf)?;
        Ok(buf)
    }
    fn encode_into<T: Serialize>(&self, _: &T, buf: &mut BytesMut) -> Result<(), CodecError> {
        buf.extend_from_slice(b"900 grams");
        Ok(())
    }
    fn decode<T: DeserializeOwned>(&self, bytes: &[u8]) -> Result<T, CodecError> {
        let refused = |error: &dyn Display| CodecError::Decode(error.to_string().into());
        let text = std::str::from_utf8(bytes).map_err(|error| refused(&error))?;
        let number: u32 = text.parse().map_err(|error| refused(&error))?;
        let number = IntoDeserializer::<value::Error>::into_deserializer(number);
        T::deserialize(number).map_err(|error| refused(&error))
    }
}

#[derive(Serialize)]
struct Weighed;

impl OutgoingDestination for Weighed {
    type Form = CallerName;
}

/// A body of every shape; it waits once, so that workers really take turns.
struct Weigh;

impl Handle<u32> for Weigh {
    async fn handle(
        &self,
        grams: &u32,
        (): &(),
        _: &mut Context<'_>,
    ) -> Result<(), HandlerOutcome> {
        assert_eq!(*grams, 900);
        tokio::task::yield_now().await;
        Ok(())
    }
}

impl Handle<u32, Weighed> for Weigh {
    async fn handle(
        &self,
        _: &u32,
        (): &(),
        _: &mut Context<'_>,
    ) -> Result<Weighed, HandlerOutcome> {
        Ok(Weighed)
    }
}

impl Handle<[u32]> for Weigh {
    async fn handle(
        &self,
        grams: &[u32],
        (): &(),
        _: &mut Context<'_>,
    ) -> Result<(), Vec<HandlerOutcome>> {
        assert_eq!(grams, [900; BATCH]);
        tokio::task::yield_now().await;
        Ok(())
    }
}

impl Handle<[u32], Vec<Weighed>> for Weigh {
    async fn handle(
        &self,
        grams: &[u32],
        (): &(),
        _: &mut Context<'_>,
    ) -> Result<Vec<Weighed>, Vec<HandlerOutcome>> {
        // No size, so no allocation of the body's own.
        Ok(grams.iter().map(|_| Weighed).collect())
    }
}

struct Frame<'a>(&'a [u8]);

impl Deserialized for Frame<'_> {
    type Output<'a> = Frame<'a>;
    type Error = Infallible;
    fn from_payload(payload: &[u8]) -> Result<Frame<'_>, Infallible> {
        Ok(Frame(payload))
    }
}

impl Input for Frame<'_> {
    type Axis = SoloDeserialized<Frame<'static>>;
}

struct Look;

impl Handle<[Frame<'_>]> for Look {
    async fn handle(
        &self,
        frames: &[Frame<'_>],
        (): &(),
        _: &mut Context<'_>,
    ) -> Result<(), Vec<HandlerOutcome>> {
        assert!(frames.iter().all(|frame| frame.0 == b"900"));
        tokio::task::yield_now().await;
        Ok(())
    }
}

type Mount<'a> = &'a dyn Fn(&mut BrokerScope<Depot>);

/// What the cheapest of some runs allocates between its marks: threads of the runtime, and of the
/// test harness, make lists of their own once, whenever they first have something to put in.
fn steady(on: &tokio::runtime::Runtime, mount: Mount<'_>) -> (usize, usize) {
    let runs = (0..10).map(|_| between_marks(on, mount));
    let mut least = (usize::MAX, 0);
    for run in runs {
        least = least.min(run);
        if least.0 == 0 {
            break;
        }
    }
    least
}

/// What a run allocates between its marks, and how much it published in all.
fn between_marks(on: &tokio::runtime::Runtime, mount: Mount<'_>) -> (usize, usize) {
    let gauge = Arc::new(Gauge::default());
    let service = RustStream::new(AppInfo::new("depot", "1.0.0"))
        .with_broker(Depot(Arc::clone(&gauge)), mount);
    on.block_on(async {
        let running = service.start().await.expect("starts");
        pin!(gauge.done.notified()).await;
        running.shutdown().await.expect("stops");
    });
    let read = |counter: &AtomicUsize| counter.load(Ordering::SeqCst);
    (
        read(&gauge.last) - read(&gauge.first),
        read(&gauge.published),
    )
}

fn nonzero(n: usize) -> NonZeroUsize {
    NonZeroUsize::new(n).expect("not zero")
}

macro_rules! mounted {
    ($body:expr, $r:ty $(, $step:ident($($arg:expr)?))*) => {
        &|scope: &mut BrokerScope<Depot>| {
            let def = subscriber::<_, $r, (), (), (), (), _>("parcels", $body).codec(Plain)
                $(.$step($($arg)?))*;
            scope.include(def.undocumented().build());
        }
    };
}

macro_rules! replying {
    ($r:ty, $reply:ty $(, $step:ident($($arg:expr)?))*) => {
        &|scope: &mut BrokerScope<Depot>| {
            let def = subscriber::<_, $r, $reply, (), (), (), _>("parcels", Weigh).codec(Plain)
                $(.$step($($arg)?))*;
            let def = def.undocumented().reply().to("weighed").build();
            scope.include(def).out_reply(Publish).codec(Plain);
        }
    };
}

// CORE-260, CORE-261, RUN-263, PUB-171, PUB-176
#[test]
fn a_delivery_more_allocates_nothing_in_any_form() {
    let forms: [(&str, Mount<'_>); 9] = [
        ("sequential", mounted!(Weigh, u32)),
        ("workers", mounted!(Weigh, u32, workers(nonzero(4)))),
        (
            "workers by key",
            mounted!(Weigh, u32, workers_by_key(nonzero(4))),
        ),
        ("threads", mounted!(Weigh, u32, threads(nonzero(2)))),
        (
            "threads by key",
            mounted!(Weigh, u32, threads_by_key(nonzero(2))),
        ),
        ("batches", mounted!(Weigh, [u32], batch(nonzero(BATCH)))),
        (
            "batches on workers",
            mounted!(Weigh, [u32], batch(nonzero(BATCH)), workers(nonzero(3))),
        ),
        (
            "batches on threads",
            mounted!(Weigh, [u32], batch(nonzero(BATCH)), threads(nonzero(2))),
        ),
        ("views", mounted!(Look, [Frame<'_>], batch(nonzero(BATCH)))),
    ];
    let replies: [(&str, Mount<'_>, usize); 4] = [
        ("replies", replying!(u32, Weighed), ALL),
        (
            "replies of workers",
            replying!(u32, Weighed, workers(nonzero(4))),
            ALL,
        ),
        (
            "replies of threads",
            replying!(u32, Weighed, threads(nonzero(2))),
            ALL,
        ),
        (
            "replies of batches",
            replying!([u32], Vec<Weighed>, batch(nonzero(BATCH))),
            ALL * BATCH,
        ),
    ];
    let one = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let several = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    for runtime in [&one, &several] {
        for (form, mount) in &forms {
            assert_eq!(steady(runtime, mount), (0, 0), "{form}");
        }
        for (form, mount, published) in &replies {
            assert_eq!(steady(runtime, mount), (0, *published), "{form}");
        }
    }
}
