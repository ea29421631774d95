//! One delivery, from the stream to its settlement.

use std::any::Any;
use std::panic::AssertUnwindSafe;

use bytes::BytesMut;
use futures_util::FutureExt;
use ruststream_core::{BuildContext, IncomingMessage};
use tokio_util::task::TaskTracker;

use super::headers::DeliveryHeaders;
use super::panic::panic_text;
use super::work::Work;
use crate::app::Service;
use crate::extract::{Aside, Context, Site};
use crate::handler::Handler;
use crate::outcome::{Continuation, HandlerOutcome, HandlerResult};
use crate::poll::Sampler;
use crate::settle::{Close, Settlement, after_delivery};
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
    pub(crate) continuations: TaskTracker,
    /// Times the bodies' polls.
    pub(crate) sampler: Sampler,
}

impl Scratch {
    pub(super) fn new(continuations: TaskTracker, sampler: &Sampler, on: Placement) -> Self {
        Self {
            encode: BytesMut::new(),
            continuations,
            sampler: sampler.on(on),
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

    fn keep(&self, continuations: TaskTracker, on: Placement) -> Scratch {
        Scratch::new(continuations, &self.sampler, on)
    }

    #[inline]
    fn take(&self, message: M, kept: &mut Scratch) -> impl Future<Output = ()> + Send {
        self.deliver(message, kept)
    }
}

impl<H, C, S> Subscription<H, C, S> {
    /// Takes one delivery all the way.
    ///
    /// Dropped before it ends, the delivery is left unsettled.
    #[inline]
    pub(crate) async fn deliver<M>(&self, message: M, scratch: &mut Scratch)
    where
        M: IncomingMessage,
        H: Handler<M, C, S>,
        C: BuildContext<M> + Send + Sync + 'static,
        S: Send + Sync,
    {
        let headers = DeliveryHeaders::of(&message);
        let mut span = self.site.about.observed.begin();
        span.took(1);
        if let Some(action) = self.settlement.arrives_spent(&message, &headers) {
            let context = || C::build(&message);
            let close = self
                .settlement
                .close(action, &message, &headers, context)
                .await;
            self.settle(close, message, scratch).await;
            return span.end().await;
        }

        let context = C::build(&message);
        let mut ctx = Context::new(&self.site, context, &headers).lending(&mut scratch.encode);
        // The block is what makes a panic in `handle` itself, before a future exists, one of these.
        let body = async { self.handler.handle(&message, &mut ctx).await };
        let body = scratch.sampler.watch(span.within(body));
        let outcome = match AssertUnwindSafe(body).catch_unwind().await {
            Ok(outcome) => outcome,
            Err(panic) => {
                span.panicked();
                let Some(outcome) = self.panicked(panic.as_ref()) else {
                    // RUN-305: left unsettled.
                    span.called(None, &message);
                    return span.end().await;
                };
                outcome
            }
        };
        let aside = ctx.take_aside();
        if let Some(aside) = &aside {
            span.decoded(aside.decode_failed);
            if let Some(reason) = &aside.fail_fast {
                self.service.fail(self.site.name(), reason);
            }
        }
        let context = ctx.into_delivery();

        let (verdict, and_after) = outcome.into_parts();
        span.called(Some(verdict), &message);
        if verdict == HandlerResult::Ack {
            self.settlement.settled(message.ack().await);
        } else {
            let action = self.settlement.decide(verdict, &message, &headers);
            let close = self
                .settlement
                .close(action, &message, &headers, || context)
                .await;
            self.settle(close, message, scratch).await;
        }
        if and_after.is_some() || aside.is_some() {
            self.spawn_after(verdict, and_after, aside, scratch);
        }
        span.end().await;
    }

    /// What few deliveries leave for after their settlement.
    #[cold]
    fn spawn_after(
        &self,
        verdict: HandlerResult,
        and_after: Option<Continuation>,
        aside: Option<Box<Aside>>,
        scratch: &Scratch,
    ) {
        let hooks = aside.map(|aside| aside.hooks).unwrap_or_default();
        for work in after_delivery(verdict, and_after, hooks) {
            scratch
                .continuations
                .spawn(self.site.about.observed.continuation(work));
        }
    }

    #[inline]
    async fn settle<M>(&self, close: Close<C>, message: M, scratch: &Scratch)
    where
        M: IncomingMessage,
        C: Send + Sync + 'static,
    {
        self.settlement
            .settle(close, message, &self.service, &scratch.continuations)
            .await;
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
