use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use ruststream_core::pairing::paired;
use ruststream_core::{
    HeaderMap, OutgoingFor, OutgoingMessage, PairError, Publisher, RawMessage, RequestReply,
    TransactionalPublisher,
};

use super::attached::Harnessed;
use super::mounted::Opening;
use super::span::Running;
use crate::observe::{Options, Published, Reaction};

/// A paired publisher.
pub struct Observed<P> {
    live: P,
    to: Option<Arc<To>>,
}

/// Whose messages go where.
struct To {
    harnessed: Arc<Harnessed>,
    /// The broker it was paired against; `None` for a broker of another application.
    scope: Option<usize>,
}

/// A message on its way to the broker.
struct HandOver {
    message: RawMessage,
    options: Options,
    from: u64,
    slot: Reaction,
}

impl<P> From<P> for Observed<P> {
    fn from(live: P) -> Self {
        Self { live, to: None }
    }
}

impl<P> Observed<P> {
    /// Awaits the pairing of a policy, and notes the broker it is paired against: the scope's, or
    /// that of a token.
    pub(crate) async fn pairing<F>(pairing: F) -> Result<Self, PairError>
    where
        F: Future<Output = Result<P, PairError>>,
    {
        let Some(opening) = Opening::current() else {
            return pairing.await.map(Self::from);
        };
        let (live, origin) = paired(pairing).await;
        let harnessed = Arc::clone(opening.harnessed());
        let scope = match origin {
            None => Some(opening.scope()),
            Some(origin) => harnessed.observer.scope_of(origin),
        };
        Ok(Self {
            live: live?,
            to: Some(Arc::new(To { harnessed, scope })),
        })
    }

    pub(crate) const fn get_ref(&self) -> &P {
        &self.live
    }
}

impl<P: Publisher> Observed<P> {
    /// Publishes through a slot.
    pub(crate) async fn publish_from(
        &self,
        slot: &'static str,
        msg: OutgoingFor<'_, P::Payload>,
        options: Option<&P::Options>,
    ) -> Result<(), P::Error> {
        self.hand_over(Some(slot), msg, options).await
    }

    /// Requests through a slot.
    pub(crate) async fn request_from(
        &self,
        slot: &'static str,
        msg: OutgoingFor<'_, P::Payload>,
        timeout: Duration,
    ) -> Result<P::Reply, P::Error>
    where
        P: RequestReply,
    {
        let Some(to) = &self.to else {
            return self.live.request(msg, timeout).await;
        };
        let begun = to.begin::<_, P::Options>(Some(slot), &msg, None);
        let reply = self.live.request(msg, timeout).await;
        to.end(begun, reply.is_ok()).await;
        reply
    }

    async fn hand_over(
        &self,
        slot: Option<&'static str>,
        msg: OutgoingFor<'_, P::Payload>,
        options: Option<&P::Options>,
    ) -> Result<(), P::Error> {
        let Some(to) = &self.to else {
            return self.live.publish(msg, options).await;
        };
        let begun = to.begin(slot, &msg, options);
        let sent = self.live.publish(msg, options).await;
        to.end(begun, sent.is_ok()).await;
        sent
    }
}

impl To {
    fn begin<Payload, O>(
        &self,
        slot: Option<&'static str>,
        msg: &OutgoingMessage<'_, Payload>,
        options: Option<&O>,
    ) -> HandOver
    where
        Payload: AsRef<[u8]>,
        O: Clone + Send + Sync + 'static,
    {
        let observer = &self.harnessed.observer;
        let payload = Bytes::copy_from_slice(msg.payload());
        let message =
            RawMessage::new(msg.name().to_owned(), payload).with_headers(msg.headers().clone());
        // From a task of the handler's it is nobody's slot: the test could not wait for it.
        let slot = slot.filter(|_| Running::current().is_some());
        let options = Options::copy_of(options);
        HandOver {
            slot: slot.and_then(|slot| observer.attempted(slot, &message, &options)),
            message,
            options,
            from: observer.moment(),
        }
    }

    async fn end(&self, begun: HandOver, accepted: bool) {
        let HandOver {
            message,
            options,
            from,
            slot,
        } = begun;
        let observer = &self.harnessed.observer;
        let published = self.scope.filter(|_| accepted).and_then(|scope| {
            let until = observer.moment();
            let published = Published {
                message,
                options,
                from,
                until,
            };
            observer.published(scope, published)
        });
        for reaction in [published, slot].into_iter().flatten() {
            reaction.await;
        }
    }
}

impl<P: Publisher> Publisher for Observed<P> {
    type Payload = P::Payload;
    type Error = P::Error;
    type Options = P::Options;

    async fn publish(
        &self,
        msg: OutgoingFor<'_, P::Payload>,
        options: Option<&P::Options>,
    ) -> Result<(), P::Error> {
        self.hand_over(None, msg, options).await
    }

    fn base_headers(&self) -> Option<&HeaderMap> {
        self.live.base_headers()
    }
}

impl<P: TransactionalPublisher> TransactionalPublisher for Observed<P> {
    fn begin_transaction(&self) -> impl Future<Output = Result<(), P::Error>> + Send {
        self.live.begin_transaction()
    }

    fn commit(&self) -> impl Future<Output = Result<(), P::Error>> + Send {
        self.live.commit()
    }

    fn abort(&self) -> impl Future<Output = Result<(), P::Error>> + Send {
        self.live.abort()
    }
}

impl<P: fmt::Debug> fmt::Debug for Observed<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.live.fmt(f)
    }
}
