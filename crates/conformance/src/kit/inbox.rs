use std::error::Error;
use std::fmt;
use std::future::poll_fn;
use std::num::NonZeroUsize;
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

use futures_core::Stream;
use ruststream_core::{BatchSubscriber, IncomingMessage, Subscriber};
use tokio::time::{Instant, sleep, timeout_at};

use super::{Shown, Step, settled};

/// How long a reader rests after an error of the stream, which may be there at every poll.
const AFTER_AN_ERROR: Duration = Duration::from_millis(1);

type Items<'s, T, E> = Pin<Box<dyn Stream<Item = Result<T, E>> + Send + 's>>;

/// What came of one wait on a subscription.
#[derive(Debug)]
pub(crate) enum Arrival<T, E> {
    Item(T),
    Error(E),
    Ended,
    Nothing,
}

/// An open stream of deliveries, or of batches.
pub(crate) struct Inbox<'s, T, E> {
    items: Items<'s, T, E>,
    /// What an item is, for the message of a failure.
    tell: fn(T) -> String,
}

impl<'s, M: IncomingMessage, E: Error> Inbox<'s, M, E> {
    pub(crate) fn of<S>(subscriber: &'s mut S) -> Self
    where
        S: Subscriber<Message = M, Error = E>,
    {
        Self {
            items: Box::pin(subscriber.stream()),
            tell: |delivery| Shown(delivery.payload()).to_string(),
        }
    }

    /// The next delivery, which must come within `limit` and be the message `payload`.
    pub(crate) async fn expect(&mut self, step: Step<'_>, limit: Duration, payload: &[u8]) -> M {
        let delivery = self.next(step, limit).await;
        step.require(
            delivery.payload() == payload,
            format_args!(
                "{} came where {} was due",
                Shown(delivery.payload()),
                Shown(payload)
            ),
        );
        delivery
    }

    /// As [`expect`](Self::expect), but other deliveries before it, which are repeats, are let pass.
    pub(crate) async fn repeated_until(
        &mut self,
        step: Step<'_>,
        limit: Duration,
        payload: &[u8],
    ) -> M {
        let until = Instant::now() + limit;
        loop {
            match self.arrival(until).await {
                Arrival::Item(delivery) if delivery.payload() == payload => return delivery,
                Arrival::Item(delivery) if Instant::now() < until => {
                    settled(step, limit, delivery.ack()).await;
                    sleep(AFTER_AN_ERROR).await;
                }
                other => step.fail(format_args!(
                    "{} did not come: {}",
                    Shown(payload),
                    other.described(limit)
                )),
            }
        }
    }

    /// No delivery may come for `quiet`. An end or an error is as good as silence.
    pub(crate) async fn silent(&mut self, step: Step<'_>, quiet: Duration) {
        let until = Instant::now() + quiet;
        loop {
            match self.arrival(until).await {
                Arrival::Item(delivery) => {
                    let payload = Shown(delivery.payload());
                    step.fail(format_args!("{payload} came within {quiet:?}"))
                }
                Arrival::Error(_) if Instant::now() < until => sleep(AFTER_AN_ERROR).await,
                Arrival::Error(_) | Arrival::Ended | Arrival::Nothing => return,
            }
        }
    }
}

impl<'s, T, E: Error> Inbox<'s, T, E> {
    pub(crate) fn of_batches<S>(subscriber: &'s mut S, size: NonZeroUsize) -> Self
    where
        S: BatchSubscriber<Batch = T, Error = E>,
        T: IntoIterator<Item: IncomingMessage>,
    {
        Self {
            items: Box::pin(subscriber.batches(size)),
            tell: told_batch,
        }
    }

    /// What the stream does until `until`.
    pub(crate) async fn arrival(&mut self, until: Instant) -> Arrival<T, E> {
        let next = poll_fn(|cx| self.items.as_mut().poll_next(cx));
        match timeout_at(until, next).await {
            Ok(Some(Ok(item))) => Arrival::Item(item),
            Ok(Some(Err(error))) => Arrival::Error(error),
            Ok(None) => Arrival::Ended,
            Err(_) => Arrival::Nothing,
        }
    }

    /// The next item, which must come within `limit`; an error or the end of the stream fails.
    pub(crate) async fn next(&mut self, step: Step<'_>, limit: Duration) -> T {
        match self.arrival(Instant::now() + limit).await {
            Arrival::Item(item) => item,
            other => step.fail(other.described(limit)),
        }
    }

    /// The next of `all` items, of which `came` came before.
    pub(crate) async fn next_of(
        &mut self,
        step: Step<'_>,
        limit: Duration,
        came: usize,
        all: usize,
    ) -> T {
        match self.arrival(Instant::now() + limit).await {
            Arrival::Item(item) => item,
            other => step.fail(format_args!(
                "of {all} messages {came} came, and then {}",
                other.described(limit)
            )),
        }
    }

    /// The stream must stay pending for `quiet`: no item, no error, no end.
    pub(crate) async fn pending(&mut self, step: Step<'_>, quiet: Duration) {
        match self.arrival(Instant::now() + quiet).await {
            Arrival::Nothing => {}
            Arrival::Item(item) => {
                let came = (self.tell)(item);
                step.fail(format_args!("{came} came within {quiet:?}"))
            }
            other => step.fail(other.described(quiet)),
        }
    }

    /// What the stream has ready now.
    pub(crate) fn ready(&mut self) -> Arrival<T, E> {
        let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
        match self.items.as_mut().poll_next(&mut cx) {
            Poll::Ready(Some(Ok(item))) => Arrival::Item(item),
            Poll::Ready(Some(Err(error))) => Arrival::Error(error),
            Poll::Ready(None) => Arrival::Ended,
            Poll::Pending => Arrival::Nothing,
        }
    }

    /// What the first of several streams to do anything does until `until`, and which one it is.
    pub(crate) async fn first_of(inboxes: &mut [Self], until: Instant) -> (usize, Arrival<T, E>) {
        let next = poll_fn(|cx| {
            for (position, inbox) in inboxes.iter_mut().enumerate() {
                if let Poll::Ready(item) = inbox.items.as_mut().poll_next(cx) {
                    return Poll::Ready((position, item));
                }
            }
            Poll::Pending
        });
        match timeout_at(until, next).await {
            Ok((position, Some(Ok(item)))) => (position, Arrival::Item(item)),
            Ok((position, Some(Err(error)))) => (position, Arrival::Error(error)),
            Ok((position, None)) => (position, Arrival::Ended),
            Err(_) => (0, Arrival::Nothing),
        }
    }
}

fn told_batch<Batch>(batch: Batch) -> String
where
    Batch: IntoIterator<Item: IncomingMessage>,
{
    let payloads: Vec<_> = batch
        .into_iter()
        .map(|delivery| Shown(delivery.payload()).to_string())
        .collect();
    format!("a batch of [{}]", payloads.join(", "))
}

impl<T, E: Error> Arrival<T, E> {
    /// How a failure tells it, for a wait of `waited`.
    pub(crate) fn described(&self, waited: Duration) -> String {
        match self {
            Self::Item(_) => "a delivery came".to_owned(),
            Self::Error(error) => format!("the subscription reported: {error}"),
            Self::Ended => "the subscription ended".to_owned(),
            Self::Nothing => format!("nothing came within {waited:?}"),
        }
    }
}

impl<T, E> fmt::Debug for Inbox<'_, T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inbox").finish_non_exhaustive()
    }
}
