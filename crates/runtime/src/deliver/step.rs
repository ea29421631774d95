//! The innermost handler of a registration: make the input, run the body, publish the reply.

use std::fmt;
use std::marker::PhantomData;

use ruststream_core::IncomingMessage;

use crate::extract::Context;
use crate::handler::Handler;
use crate::input::{Received, Refusal, SoloLane};
use crate::outcome::HandlerOutcome;
use crate::policy::FailurePolicy;
use crate::reply::Answer;

/// What the layers of a registration wrap.
pub(crate) struct Step<Lane, Decoder, Body, R, O, Reply> {
    decoder: Decoder,
    body: Body,
    outs: O,
    answer: Reply,
    lane: PhantomData<fn() -> (Lane, R)>,
}

impl<Lane, Decoder, Body, R, O, Reply> Step<Lane, Decoder, Body, R, O, Reply> {
    pub(crate) const fn new(decoder: Decoder, body: Body, outs: O, answer: Reply) -> Self {
        Self {
            decoder,
            body,
            outs,
            answer,
            lane: PhantomData,
        }
    }
}

impl<Lane, Decoder, Body, R, O, Reply> fmt::Debug for Step<Lane, Decoder, Body, R, O, Reply> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Step").finish_non_exhaustive()
    }
}

impl<M, C, S, Lane, Decoder, Body, R, O, Reply> Handler<M, C, S>
    for Step<Lane, Decoder, Body, R, O, Reply>
where
    M: IncomingMessage,
    C: Send,
    S: Send + Sync,
    Lane: SoloLane<Decoder, M, Body, R, O, C, S>,
    Decoder: Send + Sync,
    Body: Send + Sync,
    R: Send,
    O: Send + Sync,
    Reply: Answer<R, C>,
{
    #[inline]
    async fn handle(&self, message: &M, ctx: &mut Context<'_, C, S>) -> HandlerOutcome {
        let received = Lane::receive(&self.decoder, &self.body, message, &self.outs, ctx).await;
        match received {
            Received::Answered(Ok(reply)) => self.answer.answer(reply, ctx).await,
            Received::Answered(Err(outcome)) => outcome,
            Received::Refused(refusal) => refuse(&refusal, ctx),
        }
    }
}

#[cold]
fn refuse<C, S>(refusal: &Refusal, ctx: &mut Context<'_, C, S>) -> HandlerOutcome {
    refuse_with(refusal, ctx.decode_policy(), ctx)
}

/// An input that could not be made: one warning, then the decode policy (RUN-303).
#[cold]
pub(crate) fn refuse_with<C, S>(
    refusal: &Refusal,
    policy: FailurePolicy,
    ctx: &mut Context<'_, C, S>,
) -> HandlerOutcome {
    refusal.log(ctx.name());
    ctx.decode_failure(policy, || refusal.reason())
}
