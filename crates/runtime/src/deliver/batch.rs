//! One batch, from the stream to the settlement of its last delivery.
//!
//! The drivers hand over whole batches, so their bounds count batches (RUN-230). Deliveries are
//! settled one by one, in the order of the batch (RUN-364); no layer wraps a batch (RUN-369).

use std::any::Any;
use std::future::Future;
use std::marker::PhantomData;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::vec;

use ruststream_core::{BuildBatchContext, IncomingMessage, Settling, SpareBatch};

use super::delivery::Scratch;
use super::headers::DeliveryHeaders;
use super::panic::panic_text;
use super::work::Work;
use crate::app::Service;
use crate::extract::{Aside, Context, Site};
use crate::input::{Answered, BatchLane, Refusal};
use crate::outcome::{Continuation, HandlerOutcome, HandlerResult};
use crate::poll::Sampler;
use crate::reply::BatchAnswer;
use crate::settle::{Action, Close, Settlement, after_batch};
use crate::tasks::Tasks;
use crate::unwind::caught;
use crate::workers::Placement;

/// A subscription's batch body, with all that its batches share.
pub(crate) struct BatchSubscription<B, Lane, Decoder, Body, R, O, Reply, C, S> {
    pub(crate) decoder: Decoder,
    pub(crate) body: Body,
    pub(crate) outs: O,
    pub(crate) answer: Reply,
    pub(crate) common: Common<C, S>,
    pub(crate) spare: SpareBatch<B>,
    pub(crate) lane: PhantomData<fn() -> (Lane, R)>,
}

/// The part of a batch subscription that does not depend on its body.
pub(crate) struct Common<C, S> {
    pub(crate) site: Site<S>,
    pub(crate) settlement: Settlement<C>,
    pub(crate) service: Service,
    pub(crate) sampler: Sampler,
}

/// What one driver, or one worker of it, keeps between batches; no value of a batch is in it
/// while none is handled (RUN-371).
pub(crate) struct BatchScratch<Kept, M> {
    lane: Kept,
    /// Deliveries that made no element and settle before the body runs.
    refused: Vec<(M, Refusal)>,
    scratch: Scratch,
}

impl<B, Lane, Decoder, Body, R, O, Reply, C, S> Work<B>
    for BatchSubscription<B, Lane, Decoder, Body, R, O, Reply, C, S>
where
    B: IntoIterator<Item: IncomingMessage + 'static> + Send + 'static,
    Lane: BatchLane<Decoder, B, Body, R, O, C, S>,
    Decoder: Send + Sync + 'static,
    Body: Send + Sync + 'static,
    R: Send + 'static,
    O: Send + Sync + 'static,
    Reply: BatchAnswer<R, C> + 'static,
    C: BuildBatchContext<B::Item> + Send + Sync + 'static,
    S: Send + Sync + 'static,
{
    type Kept = BatchScratch<Lane::Kept, B::Item>;

    fn subscription(&self) -> &str {
        self.common.site.name()
    }

    fn service(&self) -> &Service {
        &self.common.service
    }

    /// RUN-230: a batch has no single key.
    const KEYED: bool = false;

    fn key(_batch: &B) -> Option<&[u8]> {
        None
    }

    fn keep(&self, continuations: Tasks, on: Placement) -> Self::Kept {
        BatchScratch {
            lane: Lane::Kept::default(),
            refused: Vec::new(),
            scratch: Scratch::new(continuations, &self.common.sampler, on),
        }
    }

    #[inline]
    fn take(&self, hand: &mut Option<B>, kept: &mut Self::Kept) -> impl Future<Output = ()> + Send {
        self.deliver(hand.take(), kept)
    }
}

impl<B, Lane, Decoder, Body, R, O, Reply, C, S>
    BatchSubscription<B, Lane, Decoder, Body, R, O, Reply, C, S>
{
    async fn deliver(&self, batch: Option<B>, kept: &mut BatchScratch<Lane::Kept, B::Item>)
    where
        B: IntoIterator<Item: IncomingMessage + 'static> + Send + 'static,
        Lane: BatchLane<Decoder, B, Body, R, O, C, S>,
        Decoder: Sync,
        Body: Sync,
        R: Send,
        O: Sync,
        Reply: BatchAnswer<R, C>,
        C: BuildBatchContext<B::Item> + Send + Sync + 'static,
        S: Send + Sync,
    {
        let common = &self.common;
        let BatchScratch {
            lane,
            refused,
            scratch,
        } = kept;
        let mut span = common.site.about.observed.begin();
        let context = batch.and_then(|batch| Lane::admit(batch, lane, &self.spare));
        let Some(context) = context else {
            return;
        };
        if let Some(messages) = Lane::checked(lane) {
            span.took(
                common
                    .carry_away_spent(messages, &scratch.continuations)
                    .await,
            );
        }

        let decode = AssertUnwindSafe(|| Lane::decode(&self.decoder, lane, refused));
        if let Err(panic) = catch_unwind(decode) {
            refused.clear();
            *lane = Lane::Kept::default();
            common.panicked(panic.as_ref());
            return span.end().await;
        }
        for (message, refusal) in refused.drain(..) {
            span.took(1);
            common
                .refuse(message, &refusal, &scratch.continuations)
                .await;
        }

        let headers = DeliveryHeaders::none();
        let mut ctx = Context::new(&common.site, context, &headers).lending(&mut scratch.encode);
        // The block is what makes a panic in `handle` itself, before a future exists, one of these.
        let body = async {
            let answered = Lane::receive(&self.body, lane, &self.outs, &mut ctx).await?;
            Some(self.verdicts(answered, &mut ctx).await)
        };
        let watched = scratch.sampler.watch(span.within(body));
        let verdicts = match caught(watched).await {
            Ok(verdicts) => verdicts,
            Err(panic) => {
                // RUN-306: unsettled under every policy.
                if span.records() {
                    span.panicked();
                    for (message, refusal) in Lane::release(lane, common.site.name()) {
                        span.took(1);
                        if refusal.is_none() {
                            span.hand(&message);
                        }
                    }
                    span.batch_called();
                }
                *lane = Lane::Kept::default();
                common.panicked(panic.as_ref());
                return span.end().await;
            }
        };
        let Aside {
            hooks, fail_fast, ..
        } = ctx.take_aside().map(|aside| *aside).unwrap_or_default();
        if let Some(reason) = fail_fast {
            common.service.fail(common.site.name(), &reason);
        }
        drop(ctx);

        // Without an accepted element the body was not called, and nobody asks for a verdict.
        let mut verdicts = verdicts.unwrap_or(Verdicts::Same(HandlerResult::Ack));
        for (message, refusal) in Lane::release(lane, common.site.name()) {
            span.took(1);
            match refusal {
                None => {
                    let (verdict, and_after) = verdicts.next();
                    span.hand(&message);
                    span.settled(verdict);
                    if let Some(message) = common.unless_acked(verdict, message) {
                        common
                            .settle(verdict, message, &scratch.continuations)
                            .await;
                    }
                    if let Some(work) = and_after {
                        scratch
                            .continuations
                            .spawn(common.site.about.observed.continuation(work));
                    }
                }
                Some(refusal) => {
                    common
                        .refuse(message, &refusal, &scratch.continuations)
                        .await;
                }
            }
        }
        span.batch_called();
        for work in after_batch(hooks) {
            scratch
                .continuations
                .spawn(common.site.about.observed.continuation(work));
        }
        span.end().await;
    }

    /// The verdict on each element, once its reply, if there is one, is published.
    ///
    /// # Panics
    ///
    /// A verdict of another length than the slice (RUN-365); the caller isolates it.
    async fn verdicts(&self, answered: Answered<R>, ctx: &mut Context<'_, C, S>) -> Verdicts
    where
        Reply: BatchAnswer<R, C>,
        S: Sync,
    {
        let Answered { accepted, verdict } = answered;
        match verdict {
            Ok(reply) => Verdicts::Same(self.answer.answer(reply, accepted, ctx).await),
            Err(each) if each.len() == accepted => Verdicts::Each(each.into_iter()),
            Err(each) => panic!(
                "subscriber '{}' returned {} per-element outcomes for a batch of {accepted}",
                ctx.name(),
                each.len()
            ),
        }
    }
}

impl<C, S> Common<C, S> {
    /// RUN-352: what has used up its attempts goes before anything of the batch is decoded; answers
    /// how many that were.
    async fn carry_away_spent<M>(&self, messages: &mut Vec<M>, continuations: &Tasks) -> usize
    where
        M: IncomingMessage,
        C: BuildBatchContext<M> + Send + Sync + 'static,
        S: Sync,
    {
        let spent = |message: &M| {
            self.settlement
                .arrives_spent(message, &DeliveryHeaders::of(message))
        };
        if !self.settlement.checks_arrivals() || !messages.iter().any(|m| spent(m).is_some()) {
            return 0;
        }
        let mut carried_away = 0;
        for message in mem::take(messages) {
            match spent(&message) {
                Some(action) => {
                    carried_away += 1;
                    self.carry_out(action, message, continuations).await;
                }
                None => messages.push(message),
            }
        }
        carried_away
    }

    /// RUN-303: one warning, then the decode policy.
    #[cold]
    async fn refuse<M>(&self, message: M, refusal: &Refusal, continuations: &Tasks)
    where
        M: IncomingMessage,
        C: BuildBatchContext<M> + Send + Sync + 'static,
        S: Sync,
    {
        let subscription = self.site.name();
        refusal.log(subscription);
        let verdict = self
            .site
            .about
            .policies
            .decode
            .verdict()
            .unwrap_or_else(|| {
                self.service
                    .fail(subscription, &format!("batch {}", refusal.reason()));
                HandlerResult::Nack { requeue: false }
            });
        self.settle(verdict, message, continuations).await;
    }

    /// The delivery, unless an acknowledgement is all it needs and takes no waiting.
    #[inline]
    fn unless_acked<M>(&self, verdict: HandlerResult, message: M) -> Option<M>
    where
        M: IncomingMessage,
        C: Send + Sync + 'static,
    {
        let mut hand = Some(message);
        if verdict == HandlerResult::Ack
            && let Some(answer) = M::settle_at_once(&mut hand, Settling::Ack)
        {
            self.settlement.answered(Settling::Ack, answer);
        }
        hand
    }

    #[inline]
    async fn settle<M>(&self, verdict: HandlerResult, message: M, continuations: &Tasks)
    where
        M: IncomingMessage,
        C: BuildBatchContext<M> + Send + Sync + 'static,
        S: Sync,
    {
        let action = self
            .settlement
            .decide(verdict, &message, &DeliveryHeaders::of(&message));
        self.carry_out(action, message, continuations).await;
    }

    #[inline]
    async fn carry_out<M>(&self, action: Action, message: M, continuations: &Tasks)
    where
        M: IncomingMessage,
        C: BuildBatchContext<M> + Send + Sync + 'static,
        S: Sync,
    {
        let close = if let Some(how) = action.settling() {
            Close::As(how)
        } else {
            let headers = DeliveryHeaders::of(&message);
            // RUN-366: a copy is made under the context of its own delivery.
            let context = C::build(&message);
            self.settlement
                .close(action, message.payload(), &headers, context)
                .await
        };
        self.settlement
            .settle(close, &mut Some(message), &self.service, continuations)
            .await;
    }

    /// RUN-306: nothing of the batch is settled; the panic policy decides about the service alone.
    #[cold]
    fn panicked(&self, panic: &(dyn Any + Send)) {
        let text = panic_text(panic);
        let subscription = self.site.name();
        tracing::error!(
            target: "ruststream::dispatch",
            subscription = %subscription, panic = %text, "batch handler panicked"
        );
        if self.site.about.policies.panic.verdict().is_none() {
            self.service
                .fail(subscription, &format!("batch handler panicked: {text}"));
        }
    }
}

/// The verdicts on the accepted elements, in their order.
enum Verdicts {
    Same(HandlerResult),
    Each(vec::IntoIter<HandlerOutcome>),
}

impl Verdicts {
    #[inline]
    fn next(&mut self) -> (HandlerResult, Option<Continuation>) {
        match self {
            Self::Same(verdict) => (*verdict, None),
            // As many as there are accepted elements.
            Self::Each(each) => match each.next() {
                Some(outcome) => outcome.into_parts(),
                None => (HandlerResult::Ack, None),
            },
        }
    }
}

#[cfg(test)]
pub(super) mod tests;
