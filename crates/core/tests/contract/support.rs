//! A broker just large enough to stand behind the contract's own types.

use std::collections::VecDeque;
use std::future::ready;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use futures_core::Stream;
use ruststream_core::{
    AckError, AddressedCopies, Broker, ConnectedBroker, HeaderMap, IncomingMessage, Seekable,
    Seeker, Subscribe, Subscriber,
};

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Refused(pub(crate) &'static str);

#[derive(Debug)]
pub(crate) struct Depot;

#[derive(Debug, Clone, Default)]
pub(crate) struct ConnectedDepot {
    /// What was asked of the connection, in order.
    pub(crate) log: Arc<Mutex<Vec<String>>>,
}

impl ConnectedDepot {
    pub(crate) fn note(&self, entry: impl Into<String>) {
        self.log.lock().unwrap().push(entry.into());
    }

    pub(crate) fn noted(&self) -> Vec<String> {
        self.log.lock().unwrap().clone()
    }
}

impl Broker for Depot {
    type Error = Refused;
    type Connected = ConnectedDepot;

    async fn connect(self) -> Result<ConnectedDepot, Refused> {
        Ok(ConnectedDepot::default())
    }
}

impl ConnectedBroker for ConnectedDepot {
    type Error = Refused;
    type Closed = usize;

    async fn shutdown(self) -> Result<usize, Refused> {
        Ok(self.noted().len())
    }
}

impl Subscribe for ConnectedDepot {
    type Subscriber = Scripted;
    type Copies = AddressedCopies;

    async fn subscribe(&self, name: &str) -> Result<Scripted, Refused> {
        self.note(format!("subscribe {name}"));
        Ok(Scripted {
            log: Arc::clone(&self.log),
            ..Scripted::default()
        })
    }
}

/// A delivery that is its number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Parcel(pub(crate) u32);

static NO_HEADERS: HeaderMap = HeaderMap::new();

impl IncomingMessage for Parcel {
    fn payload(&self) -> &[u8] {
        b"parcel"
    }

    fn headers(&self) -> &HeaderMap {
        &NO_HEADERS
    }

    fn ack(self) -> impl Future<Output = Result<(), AckError>> + Send {
        ready(Ok(()))
    }

    fn nack(self, _requeue: bool) -> impl Future<Output = Result<(), AckError>> + Send {
        ready(Ok(()))
    }
}

/// A subscription that yields what a test feeds it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scripted {
    feed: Arc<Mutex<Feed>>,
    log: Arc<Mutex<Vec<String>>>,
}

#[derive(Debug, Default)]
struct Feed {
    items: VecDeque<Result<Parcel, Refused>>,
    ended: bool,
    waker: Option<Waker>,
}

impl Scripted {
    pub(crate) fn deliver(&self, numbers: impl IntoIterator<Item = u32>) {
        self.feed(numbers.into_iter().map(|number| Ok(Parcel(number))));
    }

    pub(crate) fn fail(&self, reason: &'static str) {
        self.feed([Err(Refused(reason))]);
    }

    pub(crate) fn end(&self) {
        self.feed.lock().unwrap().ended = true;
        self.feed([]);
    }

    fn feed(&self, items: impl IntoIterator<Item = Result<Parcel, Refused>>) {
        let mut feed = self.feed.lock().unwrap();
        feed.items.extend(items);
        if let Some(waker) = feed.waker.take() {
            waker.wake();
        }
    }
}

struct Deliveries<'s>(&'s mut Scripted);

impl Stream for Deliveries<'_> {
    type Item = Result<Parcel, Refused>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut feed = self.0.feed.lock().unwrap();
        match feed.items.pop_front() {
            Some(item) => Poll::Ready(Some(item)),
            None if feed.ended => Poll::Ready(None),
            None => {
                feed.waker = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl Subscriber for Scripted {
    type Message = Parcel;
    type Error = Refused;

    fn stream(&mut self) -> impl Stream<Item = Result<Parcel, Refused>> + Send + '_ {
        Deliveries(self)
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Mover(Arc<Mutex<Vec<String>>>);

impl Seekable for Scripted {
    type Seeker = Mover;

    fn seeker(&self) -> Mover {
        Mover(Arc::clone(&self.log))
    }
}

impl Seeker for Mover {
    type Position = u64;
    type Error = Refused;

    async fn seek(&self, to: u64) -> Result<(), Refused> {
        if to > 100 {
            return Err(Refused("no such position"));
        }
        self.0.lock().unwrap().push(format!("seek {to}"));
        Ok(())
    }
}

/// Polls a future once and drops it.
pub(crate) fn poll_once<F: Future>(future: F) -> Poll<F::Output> {
    let mut future = std::pin::pin!(future);
    future
        .as_mut()
        .poll(&mut Context::from_waker(Waker::noop()))
}

/// Runs a future that never waits.
pub(crate) fn now<F: Future>(future: F) -> F::Output {
    match poll_once(future) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("the future has to wait"),
    }
}
