//! One delivery, from the stream to its settlement.

use std::any::Any;
use std::mem;

use bytes::BytesMut;
use ruststream_core::{BuildContext, IncomingMessage, Settling};

use super::headers::DeliveryHeaders;
use super::panic::panic_text;
use super::work::Work;
use crate::app::Service;
use crate::extract::{About, Aside, Context, Site};
use crate::handler::Handler;
use crate::observe::{Mounted, Span};
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
    Unsettled,
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
        let context = C::build(message);
        let spent = self.settlement.arrives_spent(message, &headers);
        let (closing, context) = if let Some(action) = spent {
            (Closing::By(action), context)
        } else {
            let mut ctx = Context::new(&self.site, context, &headers).lending(encode);
            // The block is what makes a panic in `handle` itself, before a future exists, one of these.
            let body = async { self.handler.handle(message, &mut ctx).await };
            let body = sampler.watch(span.within(body));
            let outcome = match caught(body).await {
                Ok(outcome) => Some(outcome),
                Err(panic) => {
                    span.panicked();
                    panicked(panic.as_ref(), &self.site.about, &self.service)
                }
            };
            let (context, aside) = ctx.into_parts();
            let closing = self.judge(outcome, aside, message, &headers, after, &mut span);
            (closing, context)
        };
        let waits = match closing {
            // What nearly all deliveries come to is apart, where the compiler knows what it is.
            Closing::Ack => match M::settle_at_once(hand, Settling::Ack) {
                Some(answer) => {
                    self.settlement.settled(answer);
                    None
                }
                None => Some(Settling::Ack),
            },
            Closing::As(how) => match M::settle_at_once(hand, how) {
                Some(answer) => {
                    self.settlement.answered(how, answer);
                    None
                }
                None => Some(how),
            },
            Closing::By(action) => {
                let close = self
                    .settlement
                    .close(action, message.payload(), &headers, context)
                    .await;
                self.settlement
                    .settle(close, hand, &self.service, continuations)
                    .await;
                None
            }
            // RUN-305
            Closing::Unsettled => {
                *hand = None;
                None
            }
        };
        if let Some(how) = waits {
            self.settlement.settle_as(how, hand).await;
        }
        if after.is_some() {
            After::spawn(after, continuations, &self.site.about.observed);
        }
        span.end().await;
    }

    /// What becomes of a delivery whose handler is done, or panicked and has no verdict; keeps what is to run once it is settled.
    ///
    /// Waits for nothing, so nothing of it takes room in the future of a delivery.
    #[inline]
    fn judge<M: IncomingMessage>(
        &self,
        outcome: Option<HandlerOutcome>,
        aside: Option<Box<Aside>>,
        message: &M,
        headers: &DeliveryHeaders<'_>,
        after: &mut Option<After>,
        span: &mut Span,
    ) -> Closing {
        let Some(outcome) = outcome else {
            span.called(None, message);
            return Closing::Unsettled;
        };
        let (verdict, continuation) = outcome.into_parts();
        if aside.is_some() || continuation.is_some() {
            if let Some(aside) = &aside {
                span.decoded(aside.decode_failed);
            }
            let (service, subscription) = (&self.service, self.site.name());
            *after = Some(After::keep(
                verdict,
                continuation,
                aside,
                service,
                subscription,
            ));
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
}

impl After {
    /// What is left for after a settlement; a fail-fast policy is told of at once.
    #[cold]
    fn keep(
        verdict: HandlerResult,
        continuation: Option<Continuation>,
        aside: Option<Box<Aside>>,
        service: &Service,
        subscription: &str,
    ) -> Self {
        if let Some(reason) = aside.as_ref().and_then(|aside| aside.fail_fast.as_ref()) {
            service.fail(subscription, reason);
        }
        Self {
            verdict,
            continuation,
            aside,
        }
    }

    #[cold]
    fn spawn(left: &mut Option<Self>, continuations: &Tasks, observed: &Mounted) {
        let Some(Self {
            verdict,
            continuation,
            aside,
        }) = left.take()
        else {
            return;
        };
        let hooks = aside.map(|aside| aside.hooks).unwrap_or_default();
        for work in after_delivery(verdict, continuation, hooks) {
            continuations.spawn(observed.continuation(work));
        }
    }
}

/// The panic policy's verdict; `None` stops the service and settles nothing.
#[cold]
fn panicked(panic: &(dyn Any + Send), about: &About, service: &Service) -> Option<HandlerOutcome> {
    let text = panic_text(panic);
    let subscription = &*about.name;
    tracing::error!(
        target: "ruststream::dispatch",
        subscription = %subscription, panic = %text, "handler panicked"
    );
    let verdict = about.policies.panic.verdict();
    if verdict.is_none() {
        service.fail(subscription, &format!("handler panicked: {text}"));
    }
    verdict.map(HandlerOutcome::from)
}
