//! The seam without a harness: nothing.
#![expect(clippy::unused_self, reason = "the same calls as with a harness")]

use std::future::{Ready, ready};
use std::time::Duration;

use ruststream_core::{
    AckError, Broker, HeaderMap, IncomingMessage, OutgoingFor, PairError, Publisher, RequestReply,
    TransactionalPublisher,
};
use tokio::time::{Instant, sleep_until};

use crate::outcome::HandlerResult;
use crate::tasks::Tasks;

// TEST-83: nothing is left of it.
const _: () = {
    use std::mem::size_of;
    assert!(size_of::<(Attached, Scope, Transition, Mounted, Span, Counted)>() == 0);
    assert!(size_of::<Observed<u64>>() == size_of::<u64>());
};

/// Who observes an application: nobody.
#[derive(Debug, Clone, Default)]
pub(crate) struct Attached(());

impl Attached {
    #[inline]
    pub(crate) const fn threads_are_tasks(&self) -> bool {
        false
    }

    /// Polls the opening of a registration.
    #[inline]
    pub(crate) fn opening<F: Future>(&self, _scope: Scope, open: F) -> F {
        open
    }

    /// Resolves once nothing is left that this seam keeps track of.
    #[inline]
    pub(crate) fn idle(&self) -> Ready<()> {
        ready(())
    }

    /// Ends the continuations that a stop does not wait for any more.
    #[inline]
    pub(crate) fn abandon(&self) -> Ready<()> {
        ready(())
    }
}

/// Which broker of its application a registration belongs to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scope;

impl Scope {
    #[inline]
    pub(crate) const fn nth(_: usize) -> Self {
        Self
    }
}

/// How a broker is connected: by its own `connect`.
#[derive(Debug, Default)]
pub(crate) struct Transition(());

impl Transition {
    #[inline]
    pub(crate) async fn connect<B: Broker>(self, broker: B) -> Result<B::Connected, B::Error> {
        broker.connect().await
    }
}

/// One subscription.
#[derive(Debug, Clone)]
pub(crate) struct Mounted(());

impl Mounted {
    /// The subscription that is being opened.
    #[inline]
    pub(crate) const fn here(_name: &str) -> Self {
        Self(())
    }

    #[inline]
    pub(crate) const fn begin(&self) -> Span {
        Span
    }

    /// Notes what a settlement brought about.
    #[inline]
    pub(crate) const fn settled(&self, _how: HandlerResult, _answer: &Result<(), AckError>) {}

    /// Where delayed copies are spawned and counted.
    #[inline]
    pub(crate) const fn copies<'a>(&self, continuations: &'a Tasks) -> &'a Tasks {
        continuations
    }

    /// Work that runs after a delivery was settled.
    #[inline]
    pub(crate) fn continuation<F: Future<Output = ()>>(&self, work: F) -> F {
        work
    }

    /// Resolves after `delay`, which begins now.
    pub(crate) fn after(&self, delay: Duration) -> impl Future<Output = Counted> + Send + use<> {
        let deadline = Instant::now().checked_add(delay);
        async move {
            match deadline {
                Some(deadline) => sleep_until(deadline).await,
                None => std::future::pending().await,
            }
            Counted
        }
    }
}

/// A piece of work while it is under way.
#[derive(Debug)]
pub(crate) struct Counted;

impl Counted {
    /// It is under way no more.
    #[inline]
    pub(crate) const fn release(self) {}
}

/// One dispatch, from a delivery or a batch to its last settlement.
#[derive(Debug)]
pub(crate) struct Span;

impl Span {
    /// Whether somebody keeps what it is told.
    #[inline]
    pub(crate) const fn records(&self) -> bool {
        false
    }

    /// So many deliveries were taken.
    #[inline]
    pub(crate) const fn took(&mut self, _deliveries: usize) {}

    /// Polls what the handler does.
    #[inline]
    pub(crate) fn within<F: Future>(&self, handling: F) -> F {
        handling
    }

    #[inline]
    pub(crate) const fn panicked(&mut self) {}

    #[inline]
    pub(crate) const fn decoded(&mut self, _failed: bool) {}

    /// The handler finished with one delivery.
    #[inline]
    pub(crate) const fn called<M: IncomingMessage>(
        &mut self,
        _verdict: Option<HandlerResult>,
        _message: &M,
    ) {
    }

    /// A delivery of a batch was handed to the body.
    #[inline]
    pub(crate) const fn hand<M: IncomingMessage>(&mut self, _message: &M) {}

    /// That delivery is being settled.
    #[inline]
    pub(crate) const fn settled(&mut self, _verdict: HandlerResult) {}

    /// The last delivery of a batch is settled, or none will be.
    #[inline]
    pub(crate) const fn batch_called(&mut self) {}

    /// Everything is settled and every continuation is spawned.
    #[inline]
    pub(crate) fn end(self) -> Ready<()> {
        ready(())
    }
}

/// A value is lent to a body.
#[inline]
pub(crate) const fn lent<T>(_value: &T) {}

/// Values are lent to the body of a batch.
#[inline]
pub(crate) const fn lent_batch<T>(_values: &[T]) {}

/// A paired publisher.
#[derive(Debug)]
pub struct Observed<P>(P);

impl<P> From<P> for Observed<P> {
    #[inline]
    fn from(live: P) -> Self {
        Self(live)
    }
}

impl<P> Observed<P> {
    /// Awaits the pairing of a policy.
    #[inline]
    pub(crate) async fn pairing<F>(pairing: F) -> Result<Self, PairError>
    where
        F: Future<Output = Result<P, PairError>>,
    {
        pairing.await.map(Self)
    }

    #[inline]
    pub(crate) const fn get_ref(&self) -> &P {
        &self.0
    }
}

impl<P: Publisher> Observed<P> {
    /// Publishes through a slot.
    #[inline]
    pub(crate) fn publish_from(
        &self,
        _slot: &'static str,
        msg: OutgoingFor<'_, P::Payload>,
        options: Option<&P::Options>,
    ) -> impl Future<Output = Result<(), P::Error>> + Send {
        self.0.publish(msg, options)
    }

    /// Requests through a slot.
    #[inline]
    pub(crate) fn request_from(
        &self,
        _slot: &'static str,
        msg: OutgoingFor<'_, P::Payload>,
        timeout: Duration,
    ) -> impl Future<Output = Result<P::Reply, P::Error>> + Send
    where
        P: RequestReply,
    {
        self.0.request(msg, timeout)
    }
}

impl<P: Publisher> Publisher for Observed<P> {
    type Payload = P::Payload;
    type Error = P::Error;
    type Options = P::Options;

    #[inline]
    fn publish(
        &self,
        msg: OutgoingFor<'_, P::Payload>,
        options: Option<&P::Options>,
    ) -> impl Future<Output = Result<(), P::Error>> + Send {
        self.0.publish(msg, options)
    }

    #[inline]
    fn base_headers(&self) -> Option<&HeaderMap> {
        self.0.base_headers()
    }
}

impl<P: TransactionalPublisher> TransactionalPublisher for Observed<P> {
    fn begin_transaction(&self) -> impl Future<Output = Result<(), P::Error>> + Send {
        self.0.begin_transaction()
    }

    fn commit(&self) -> impl Future<Output = Result<(), P::Error>> + Send {
        self.0.commit()
    }

    fn abort(&self) -> impl Future<Output = Result<(), P::Error>> + Send {
        self.0.abort()
    }
}
