//! Subscriptions and deliveries by hand, with a ledger of what became of them.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::fmt;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::Poll;
use std::time::Duration;

use futures_core::Stream;
use futures_util::stream;
use ruststream_core::codec::CodecError;
use ruststream_core::{
    AckError, BatchSubscriber, HeaderMap, IncomingMessage, RetryDeclaration, Subscriber,
};
use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

use super::Subscription;
use crate::app::{HealthBoard, HealthState, Service, SubscriptionEnd};
use crate::extract::{MainRuntime, Site};
use crate::policy::FailurePolicies;
use crate::poll::Sampler;
use crate::settle::Settlement;
use crate::workers::Workers;

pub(super) const fn nonzero(n: usize) -> NonZeroUsize {
    NonZeroUsize::new(n).expect("not zero")
}

/// How a delivery ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Acked,
    Dropped,
    Requeued,
    After(Duration),
    /// Dropped without a settlement.
    Left,
}

#[derive(Debug, Default)]
pub(super) struct Entries {
    /// Deliveries taken from the stream.
    pub(super) taken: usize,
    pub(super) ends: Vec<(u32, End)>,
    /// The most deliveries that were taken and not settled at one time.
    pub(super) most_out: usize,
}

impl Entries {
    pub(super) fn out(&self) -> usize {
        self.taken - self.ends.len()
    }
}

#[derive(Debug, Default)]
struct Book {
    entries: Mutex<Entries>,
    written: Notify,
}

/// What became of the deliveries.
#[derive(Debug, Clone, Default)]
pub(super) struct Ledger(Arc<Book>);

impl Ledger {
    pub(super) fn read(&self) -> MutexGuard<'_, Entries> {
        self.0.entries.lock().unwrap()
    }

    fn write(&self, entry: impl FnOnce(&mut Entries)) {
        entry(&mut self.read());
        self.0.written.notify_waiters();
    }

    fn takes(&self) {
        self.write(|entries| {
            entries.taken += 1;
            entries.most_out = entries.most_out.max(entries.out());
        });
    }

    fn ends(&self, id: u32, end: End) {
        self.write(|entries| entries.ends.push((id, end)));
    }

    /// Waits until the entries are as asked.
    pub(super) async fn until(&self, reached: impl Fn(&Entries) -> bool) {
        loop {
            let written = self.0.written.notified();
            if reached(&self.read()) {
                return;
            }
            written.await;
        }
    }

    pub(super) async fn until_ended(&self, count: usize) {
        self.until(|entries| entries.ends.len() >= count).await;
    }

    /// The ends, by the number of the delivery.
    pub(super) fn sorted(&self) -> Vec<(u32, End)> {
        let mut ends = self.read().ends.clone();
        ends.sort_by_key(|(id, _)| *id);
        ends
    }
}

/// A delivery of the tests.
pub(super) struct Parcel {
    pub(super) id: u32,
    pub(super) key: Option<&'static [u8]>,
    payload: Vec<u8>,
    headers: HeaderMap,
    ledger: Ledger,
    ended: bool,
    /// Its settlement panics, as a broken broker's would.
    explosive: bool,
    taken: bool,
    /// Why the broker could not read it.
    reported: Option<CodecError>,
}

impl Parcel {
    pub(super) fn keyed(mut self, key: &'static [u8]) -> Self {
        self.key = Some(key);
        self
    }

    pub(super) fn explosive(mut self) -> Self {
        self.explosive = true;
        self
    }

    pub(super) fn with_payload(mut self, payload: impl Into<Vec<u8>>) -> Self {
        self.payload = payload.into();
        self
    }

    pub(super) fn with_header(mut self, name: &'static str, value: &'static str) -> Self {
        self.headers.insert(name, value);
        self
    }

    pub(super) fn unreadable(mut self, why: &'static str) -> Self {
        self.reported = Some(CodecError::Decode(why.into()));
        self
    }

    fn end(mut self, end: End) {
        assert!(!self.explosive, "the broker's settle code is broken");
        self.ended = true;
        self.ledger.ends(self.id, end);
    }
}

impl fmt::Debug for Parcel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Parcel({})", self.id)
    }
}

impl Drop for Parcel {
    fn drop(&mut self) {
        if self.taken && !self.ended {
            self.ledger.ends(self.id, End::Left);
        }
    }
}

impl IncomingMessage for Parcel {
    fn payload(&self) -> &[u8] {
        &self.payload
    }

    fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    fn partition_key(&self) -> Option<&[u8]> {
        self.key
    }

    fn decode_error(&self) -> Option<&CodecError> {
        self.reported.as_ref()
    }

    async fn ack(self) -> Result<(), AckError> {
        self.end(End::Acked);
        Ok(())
    }

    async fn nack(self, requeue: bool) -> Result<(), AckError> {
        self.end(if requeue { End::Requeued } else { End::Dropped });
        Ok(())
    }

    fn supports_nack_after(&self) -> bool {
        true
    }

    async fn nack_after(self, delay: Duration) -> Result<(), AckError> {
        self.end(End::After(delay));
        Ok(())
    }
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("the belt is stuck")]
pub(super) struct Stuck;

/// Where a test puts deliveries on; dropping it ends the stream.
pub(super) struct Belt<T> {
    items: UnboundedSender<Result<T, Stuck>>,
    pub(super) ledger: Ledger,
    next: u32,
}

/// The subscription at the other end of a [`Belt`].
pub(super) struct Depot<T> {
    items: UnboundedReceiver<Result<T, Stuck>>,
    ledger: Ledger,
}

pub(super) fn belt<T>() -> (Belt<T>, Depot<T>) {
    let (give, take) = mpsc::unbounded_channel();
    let ledger = Ledger::default();
    (
        Belt {
            items: give,
            ledger: ledger.clone(),
            next: 0,
        },
        Depot {
            items: take,
            ledger,
        },
    )
}

impl<T> Belt<T> {
    /// The next parcel, numbered from 0, not put on the belt.
    pub(super) fn parcel(&mut self) -> Parcel {
        let id = self.next;
        self.next += 1;
        Parcel {
            id,
            key: None,
            payload: id.to_string().into_bytes(),
            headers: HeaderMap::new(),
            ledger: self.ledger.clone(),
            ended: false,
            explosive: false,
            taken: false,
            reported: None,
        }
    }

    pub(super) fn put(&self, item: T) {
        let _ = self.items.send(Ok(item));
    }

    pub(super) fn stick(&self) {
        let _ = self.items.send(Err(Stuck));
    }
}

impl Belt<Parcel> {
    pub(super) fn put_plain(&mut self, count: usize) {
        for _ in 0..count {
            let parcel = self.parcel();
            self.put(parcel);
        }
    }
}

impl Belt<Vec<Parcel>> {
    /// Batches of so many parcels each.
    pub(super) fn put_batches(&mut self, lengths: &[usize]) {
        for length in lengths {
            let batch = (0..*length).map(|_| self.parcel()).collect();
            self.put(batch);
        }
    }
}

impl Subscriber for Depot<Parcel> {
    type Message = Parcel;
    type Error = Stuck;

    fn stream(&mut self) -> impl Stream<Item = Result<Parcel, Stuck>> + Send + '_ {
        stream::poll_fn(|cx| {
            self.items.poll_recv(cx).map_ok(|mut parcel| {
                self.ledger.takes();
                parcel.taken = true;
                parcel
            })
        })
    }
}

/// A batch that a [`Depot`] delivers.
pub(super) trait Parcels: IntoIterator<Item = Parcel> + Send {
    fn parcels(&mut self) -> &mut [Parcel];
}

impl Parcels for Vec<Parcel> {
    fn parcels(&mut self) -> &mut [Parcel] {
        self
    }
}

impl<B: Parcels> Subscriber for Depot<B> {
    type Message = Parcel;
    type Error = Stuck;

    fn stream(&mut self) -> impl Stream<Item = Result<Parcel, Stuck>> + Send + '_ {
        stream::pending()
    }
}

impl<B: Parcels> BatchSubscriber for Depot<B> {
    type Batch = B;

    fn batches(&mut self, _size: NonZeroUsize) -> impl Stream<Item = Result<B, Stuck>> + Send + '_ {
        stream::poll_fn(|cx| {
            self.items.poll_recv(cx).map_ok(|mut batch| {
                for parcel in batch.parcels() {
                    self.ledger.takes();
                    parcel.taken = true;
                }
                batch
            })
        })
    }
}

/// A subscription that always has another delivery.
pub(super) struct Endless {
    belt: Belt<Parcel>,
}

impl Endless {
    pub(super) fn new() -> (Self, Ledger) {
        let (belt, _) = belt();
        let ledger = belt.ledger.clone();
        (Self { belt }, ledger)
    }
}

impl Subscriber for Endless {
    type Message = Parcel;
    type Error = Infallible;

    fn stream(&mut self) -> impl Stream<Item = Result<Parcel, Infallible>> + Send + '_ {
        stream::poll_fn(|_| {
            let mut parcel = self.belt.parcel();
            self.belt.ledger.takes();
            parcel.taken = true;
            Poll::Ready(Some(Ok(parcel)))
        })
    }
}

/// A running application, as far as loops see it.
pub(super) struct App {
    pub(super) service: Service,
    pub(super) board: HealthBoard,
}

impl App {
    pub(super) fn new() -> Self {
        let board = HealthBoard::new();
        let main_runtime = MainRuntime::new(Handle::current());
        let service = Service::new(main_runtime, board.reporter(), SubscriptionEnd::Log);
        Self { service, board }
    }

    /// A subscription `parcels` that nothing was declared for.
    pub(super) fn subscription<H>(
        &self,
        handler: H,
        policies: FailurePolicies,
    ) -> Subscription<H, (), ()> {
        Subscription {
            handler,
            site: self.site(policies),
            settlement: Settlement::new("parcels".into(), &RetryDeclaration::new(), None),
            service: self.service.clone(),
            sampler: Sampler::open(&self.service, "parcels", Workers::default()),
        }
    }

    pub(super) fn site(&self, policies: FailurePolicies) -> Site<()> {
        let main_runtime = self.service.main_runtime().clone();
        Site::new("parcels".into(), Arc::new(()), main_runtime, policies)
    }

    pub(super) fn stop(&self) {
        self.service.begin_stopping();
        self.service.stop().raise();
    }

    pub(super) fn failure(&self) -> Option<String> {
        match self.board.probe().state() {
            HealthState::Failed { reason } => Some(reason),
            _ => None,
        }
    }

    /// Waits until nothing is left of workers whose loop was aborted.
    pub(super) async fn workers_gone(&self) {
        self.service.workers().wait().await;
    }
}

/// Lets every task of a current-thread runtime go on until it waits.
pub(super) async fn settle_down() {
    for _ in 0..1_000 {
        tokio::task::yield_now().await;
    }
}

/// A list that tasks and threads write to.
pub(super) type Notes<T> = Arc<Mutex<VecDeque<T>>>;
