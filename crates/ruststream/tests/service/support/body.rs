//! Bodies that are closures.

use ruststream::prelude::*;

/// A body over a number that answers by itself.
pub(crate) struct Answers<F>(F);

impl<F> Handle<u32> for Answers<F>
where
    F: Fn(u32, &mut Context<'_>) -> HandlerOutcome + Send + Sync,
{
    async fn handle(
        &self,
        number: &u32,
        (): &(),
        ctx: &mut Context<'_>,
    ) -> Result<(), HandlerOutcome> {
        Err((self.0)(*number, ctx))
    }
}

pub(crate) fn answers<F>(answer: F) -> Answers<F>
where
    F: Fn(u32, &mut Context<'_>) -> HandlerOutcome + Send + Sync,
{
    Answers(answer)
}

/// How often the delivery was brought back by a copy, as its header says.
pub(crate) fn copies(ctx: &Context<'_>) -> u32 {
    let count = ctx
        .headers()
        .get_str(ruststream::runtime::RETRY_COUNT_HEADER);
    count.map_or(0, |count| count.parse().expect("a number"))
}

/// A batch body over numbers that answers for each.
pub(crate) struct AnswersEach<F>(F);

impl<F> Handle<[u32]> for AnswersEach<F>
where
    F: Fn(&[u32]) -> Vec<HandlerOutcome> + Send + Sync,
{
    async fn handle(
        &self,
        numbers: &[u32],
        (): &(),
        _ctx: &mut Context<'_>,
    ) -> Result<(), Vec<HandlerOutcome>> {
        Err((self.0)(numbers))
    }
}

pub(crate) fn answers_each<F>(answer: F) -> AnswersEach<F>
where
    F: Fn(&[u32]) -> Vec<HandlerOutcome> + Send + Sync,
{
    AnswersEach(answer)
}
