//! One delivery, from the stream to its settlement.

use std::any::Any;
use std::mem;

use bytes::BytesMut;
use ruststream_core::{BuildContext, IncomingMessage, Settling};

use super::headers::DeliveryHeaders;
use super::panic::panic_text;
use super::work::Work;
use crate::app::Service;
use crate::extract::{Aside, Context, Site};
use crate::handler::Handler;
use crate::observe::Span;
use crate::outcome::{Continuation, HandlerOutcome, HandlerResult};
use crate::poll::Sampler;
use crate::settle::{Action, Settlement, after_delivery};
use crate::tasks::Tasks;
use crate::unwind::caught;
use crate::workers::Placement;

/// A subscription's handler, with all that its deliveries share.
pub(crate) struct Subscription<H, C, S> {
    pub(crate) handler: H,
    pub(crate) site: Site<S>,
    pub(crate) settlement: Settlement<C>,
    pub(crate) service: Service,
    pub(crate) sampler: Sampler,
}

/// What one driver, or one worker of it, keeps between deliveries.
pub(crate) struct Scratch {
    /// The encode buffer of replies (PUB-170).
    pub(crate) encode: BytesMut,
    /// Where continuations are spawned and counted.
    pub(crate) continuations: Tasks,
    /// Times the bodies' polls.
    pub(crate) sampler: Sampler,
    /// What the delivery in hand leaves for after its settlement. It waits here, and not in the
    /// future of every delivery, since few leave anything.
    after: Option<After>,
}

/// Work for after a settlement.
struct After {
    verdict: HandlerResult,
    continuation: Option<Continuation>,
    aside: Option<Box<Aside>>,
}

/// How a delivery is to be closed.
enum Closing {
    Ack,
    As(Settling),
    By(Action),
}

impl Scratch {
    pub(super) fn new(continuations: Tasks, sampler: &Sampler, on: Placement) -> Self {
        Self {
            encode: BytesMut::new(),
            continuations,
            sampler: sampler.on(on),
            after: None,
        }
    }
}

impl<M, H, C, S> Work<M> for Subscription<H, C, S>
where
    M: IncomingMessage,
    H: Handler<M, C, S> + 'static,
    C: BuildContext<M> + Send + Sync + 'static,
    S: Send + Sync + 'static,
{
    type Kept = Scratch;

    fn subscription(&self) -> &str {
        self.site.name()
    }

    fn service(&self) -> &Service {
        &self.service
    }

    const KEYED: bool = true;

    #[inline]
    fn key(message: &M) -> Option<&[u8]> {
        message.partition_key()
    }

    fn keep(&self, continuations: Tasks, on: Placement) -> Scratch {
        Scratch::new(continuations, &self.sampler, on)
    }

    #[inline]
    fn take(&self, hand: &mut Option<M>, kept: &mut Scratch) -> impl Future<Output = ()> + Send {
        self.deliver(hand, kept)
    }
}

impl<H, C, S> Subscription<H, C, S> {
    /// Takes one delivery all the way.
    ///
    /// Dropped before it ends, the delivery is left unsettled.
    #[inline]
    pub(crate) async fn deliver<M>(&self, hand: &mut Option<M>, scratch: &mut Scratch)
    where
        M: IncomingMessage,
        H: Handler<M, C, S>,
        C: BuildContext<M> + Send + Sync + 'static,
        S: Send + Sync,
    {
        let Some(message) = hand.as_ref() else {
            return;
        };
        let Scratch {
            encode,
            continuations,
            sampler,
            after,
        } = scratch;
        let headers = DeliveryHeaders::of(message);
        let mut span = self.site.about.observed.begin();
        span.took(1);
        if let Some(action) = self.settlement.arrives_spent(message, &headers) {
            let context = || C::build(message);
            let close = self
                .settlement
                .close(action, message, &headers, context)
                .await;
            self.settlement
                .settle(close, hand, &self.service, continuations)
                .await;
            return span.end().await;
        }

        let context = C::build(message);
        let mut ctx = Context::new(&self.site, context, &headers).lending(encode);
        // The block is what makes a panic in `handle` itself, before a future exists, one of these.
        let body = async { self.handler.handle(message, &mut ctx).await };
        let body = sampler.watch(span.within(body));
        let outcome = match caught(body).await {
            Ok(outcome) => outcome,
            Err(panic) => {
                span.panicked();
                let Some(outcome) = self.panicked(panic.as_ref()) else {
                    // RUN-305: left unsettled.
                    span.called(None, message);
                    drop(ctx);
                    *hand = None;
                    return span.end().await;
                };
                outcome
            }
        };
        let (context, aside) = ctx.into_parts();
        let closing = self.judge(outcome, aside, message, &headers, after, &mut span);
        match closing {
            // What nearly all deliveries come to is apart, where the compiler knows what it is.
            Closing::Ack => match M::settle_at_once(hand, Settling::Ack) {
                Some(answer) => self.settlement.settled(answer),
                None => self.settlement.settle_as(Settling::Ack, hand).await,
            },
            Closing::As(how) => match M::settle_at_once(hand, how) {
                Some(answer) => self.settlement.answered(how, answer),
                None => self.settlement.settle_as(how, hand).await,
            },
            Closing::By(action) => {
                let close = self
                    .settlement
                    .close(action, message, &headers, || context)
                    .await;
                self.settlement
                    .settle(close, hand, &self.service, continuations)
                    .await;
            }
        }
        if after.is_some() {
            self.spawn_after(after, continuations);
        }
        span.end().await;
    }

    /// What becomes of a delivery whose handler is done; keeps what is to run once it is settled.
    ///
    /// Waits for nothing, so nothing of it takes room in the future of a delivery.
    #[inline]
    fn judge<M: IncomingMessage>(
        &self,
        outcome: HandlerOutcome,
        aside: Option<Box<Aside>>,
        message: &M,
        headers: &DeliveryHeaders<'_>,
        after: &mut Option<After>,
        span: &mut Span,
    ) -> Closing {
        let (verdict, continuation) = outcome.into_parts();
        if aside.is_some() || continuation.is_some() {
            if let Some(aside) = &aside {
                span.decoded(aside.decode_failed);
            }
            *after = Some(self.kept_for_after(verdict, continuation, aside));
        } else {
            // There is nothing in them, which the compiler does not see where they are dropped.
            mem::forget((aside, continuation));
        }
        span.called(Some(verdict), message);
        if verdict == HandlerResult::Ack {
            return Closing::Ack;
        }
        let action = self.settlement.decide(verdict, message, headers);
        match action.settling() {
            Some(how) => Closing::As(how),
            None => Closing::By(action),
        }
    }

    #[cold]
    fn kept_for_after(
        &self,
        verdict: HandlerResult,
        continuation: Option<Continuation>,
        aside: Option<Box<Aside>>,
    ) -> After {
        if let Some(reason) = aside.as_ref().and_then(|aside| aside.fail_fast.as_ref()) {
            self.service.fail(self.site.name(), reason);
        }
        After {
            verdict,
            continuation,
            aside,
        }
    }

    #[cold]
    fn spawn_after(&self, after: &mut Option<After>, continuations: &Tasks) {
        let Some(After {
            verdict,
            continuation,
            aside,
        }) = after.take()
        else {
            return;
        };
        let hooks = aside.map(|aside| aside.hooks).unwrap_or_default();
        for work in after_delivery(verdict, continuation, hooks) {
            continuations.spawn(self.site.about.observed.continuation(work));
        }
    }

    /// The panic policy's verdict; `None` stops the service and settles nothing.
    #[cold]
    fn panicked(&self, panic: &(dyn Any + Send)) -> Option<HandlerOutcome> {
        let text = panic_text(panic);
        let subscription = self.site.name();
        tracing::error!(
            target: "ruststream::dispatch",
            subscription = %subscription, panic = %text, "handler panicked"
        );
        let verdict = self.site.about.policies.panic.verdict();
        if verdict.is_none() {
            self.service
                .fail(subscription, &format!("handler panicked: {text}"));
        }
        verdict.map(HandlerOutcome::from)
    }
}
