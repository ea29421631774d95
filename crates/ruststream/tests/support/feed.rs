//! A broker whose one subscription yields a number of messages that exist already: whatever is
//! allocated while they are handled, the framework and the handler allocate.

use std::convert::Infallible;
use std::future::Future;
use std::num::NonZeroUsize;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use futures_util::Stream;
use ruststream::{
    AckError, BatchSubscriber, Broker, BrokerMoves, ConnectedBroker, DefaultPublish, HeaderMap,
    IncomingMessage, Lend, OutgoingMessage, PairError, PublishPolicy, Publisher, Subscribe,
    Subscriber,
};
use tokio::sync::Notify;

/// The counters of a feed, and the wake-ups between a test and its service.
#[derive(Debug, Default)]
pub(crate) struct Gauge {
    /// Messages still to be yielded.
    left: AtomicUsize,
    refilled: Notify,
    acked: AtomicUsize,
    published: AtomicUsize,
    wanted: AtomicUsize,
    reached: Notify,
}

impl Gauge {
    /// Lets the feed yield `messages` more and waits until that many are acked.
    pub(crate) async fn run(&self, messages: usize) {
        self.acked.store(0, Ordering::SeqCst);
        self.published.store(0, Ordering::SeqCst);
        self.wanted.store(messages, Ordering::SeqCst);
        self.left.store(messages, Ordering::SeqCst);
        self.refilled.notify_one();
        self.reached.notified().await;
    }

    // Not every test has a reply.
    #[allow(dead_code)]
    pub(crate) fn published(&self) -> usize {
        self.published.load(Ordering::SeqCst)
    }
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Feed(pub(crate) Arc<Gauge>);

#[derive(Debug)]
pub(crate) struct ConnectedFeed(Arc<Gauge>);

impl Broker for Feed {
    type Error = Infallible;
    type Connected = ConnectedFeed;
    async fn connect(self) -> Result<ConnectedFeed, Infallible> {
        Ok(ConnectedFeed(self.0))
    }
}

impl ConnectedBroker for ConnectedFeed {
    type Error = Infallible;
    type Closed = ();
    async fn shutdown(self) -> Result<(), Infallible> {
        Ok(())
    }
}

impl Subscribe for ConnectedFeed {
    type Subscriber = FeedSubscriber;
    type Copies = BrokerMoves;
    async fn subscribe(&self, _name: &str) -> Result<FeedSubscriber, Infallible> {
        Ok(FeedSubscriber(Arc::clone(&self.0)))
    }
}

#[derive(Debug)]
pub(crate) struct FeedSubscriber(Arc<Gauge>);

/// Yields while messages are left, else waits for the refill.
struct Yielding<'a, Item> {
    gauge: &'a Arc<Gauge>,
    refilled: Pin<Box<tokio::sync::futures::Notified<'a>>>,
    take: fn(&Arc<Gauge>) -> Option<Item>,
}

impl<Item> Stream for Yielding<'_, Item> {
    type Item = Result<Item, Infallible>;
    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(item) = (self.take)(self.gauge) {
                return Poll::Ready(Some(Ok(item)));
            }
            if self.refilled.as_mut().poll(cx).is_pending() {
                return Poll::Pending;
            }
            let gauge = self.gauge;
            self.refilled.set(gauge.refilled.notified());
        }
    }
}

fn take_one(gauge: &Arc<Gauge>) -> Option<Fed> {
    let taken = gauge
        .left
        .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1));
    taken.ok().map(|left| Fed::new(gauge, left))
}

impl Subscriber for FeedSubscriber {
    type Message = Fed;
    type Error = Infallible;
    fn stream(&mut self) -> impl Stream<Item = Result<Fed, Infallible>> + Send + '_ {
        Yielding {
            gauge: &self.0,
            refilled: Box::pin(self.0.refilled.notified()),
            take: take_one,
        }
    }
}

/// A batch that owns no block: so many messages, made as they are taken.
#[derive(Debug)]
pub(crate) struct FedBatch(usize, Arc<Gauge>);

impl Iterator for FedBatch {
    type Item = Fed;
    fn next(&mut self) -> Option<Fed> {
        self.0 = self.0.checked_sub(1)?;
        Some(Fed::new(&self.1, self.0))
    }
}

impl BatchSubscriber for FeedSubscriber {
    type Batch = FedBatch;
    fn batches(
        &mut self,
        _size: NonZeroUsize,
    ) -> impl Stream<Item = Result<FedBatch, Infallible>> + Send + '_ {
        fn take_batch(gauge: &Arc<Gauge>) -> Option<FedBatch> {
            let left = gauge.left.swap(0, Ordering::SeqCst);
            let now = left.min(50);
            gauge.left.store(left - now, Ordering::SeqCst);
            (now > 0).then(|| FedBatch(now, Arc::clone(gauge)))
        }
        Yielding {
            gauge: &self.0,
            refilled: Box::pin(self.0.refilled.notified()),
            take: take_batch,
        }
    }
}

/// A message of one of eight keys.
#[derive(Debug)]
pub(crate) struct Fed(Arc<Gauge>, [u8; 1]);

impl Fed {
    fn new(gauge: &Arc<Gauge>, number: usize) -> Self {
        let key = u8::try_from(number % 8).unwrap_or_default();
        Self(Arc::clone(gauge), [key])
    }
}

static HEADERS: HeaderMap = HeaderMap::new();

impl IncomingMessage for Fed {
    fn payload(&self) -> &[u8] {
        br#"{"id":41,"grams":900}"#
    }
    fn headers(&self) -> &HeaderMap {
        &HEADERS
    }
    fn partition_key(&self) -> Option<&[u8]> {
        Some(&self.1)
    }
    async fn ack(self) -> Result<(), AckError> {
        let acked = self.0.acked.fetch_add(1, Ordering::SeqCst) + 1;
        if acked == self.0.wanted.load(Ordering::SeqCst) {
            self.0.reached.notify_one();
        }
        Ok(())
    }
    async fn nack(self, _requeue: bool) -> Result<(), AckError> {
        Ok(())
    }
}

/// A policy whose publisher reads the bytes and keeps nothing.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Lending;

#[derive(Debug)]
pub(crate) struct LendingPublisher(Arc<Gauge>);

impl PublishPolicy<ConnectedFeed> for Lending {
    type Live = LendingPublisher;
    async fn pair(self, connected: &ConnectedFeed) -> Result<LendingPublisher, PairError> {
        Ok(LendingPublisher(Arc::clone(&connected.0)))
    }
}

impl Publisher for LendingPublisher {
    type Payload = Lend;
    type Error = Infallible;
    type Options = ();
    async fn publish(
        &self,
        message: OutgoingMessage<'_, &[u8]>,
        _options: Option<&()>,
    ) -> Result<(), Infallible> {
        assert!(!message.payload().is_empty());
        self.0.published.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }
}

impl DefaultPublish for ConnectedFeed {
    type Policy = Lending;
}
