//! A layer that counts what is settled.

use ruststream::prelude::*;
use ruststream::runtime::{BlanketLayer, Handler};

use crate::progress::Progress;
use crate::tally::Tally;

/// Counts each delivery once it is settled for good, whether or not a handler ever saw it.
#[derive(Debug, Clone)]
pub(crate) struct Settled {
    pub(crate) tally: Tally,
    pub(crate) progress: Progress,
}

struct Counting<Inner> {
    inner: Inner,
    settled: Settled,
}

impl BlanketLayer for Settled {
    fn apply<M, C, S, H>(&self, handler: H) -> impl Handler<M, C, S> + 'static
    where
        M: Send + Sync + 'static,
        C: Send + 'static,
        S: Send + Sync + 'static,
        H: Handler<M, C, S> + 'static,
    {
        Counting {
            inner: handler,
            settled: self.clone(),
        }
    }
}

impl<M, C, S, Inner> Handler<M, C, S> for Counting<Inner>
where
    M: Sync,
    C: Send,
    S: Send + Sync,
    Inner: Handler<M, C, S>,
{
    async fn handle(&self, message: &M, ctx: &mut Context<'_, C, S>) -> HandlerOutcome {
        let outcome = self.inner.handle(message, ctx).await;
        // One that is retried comes again.
        if !outcome.is_retry() {
            let Settled { tally, progress } = self.settled.clone();
            let alert = ctx.name() == "quakes.alerts";
            ctx.after_settle(async move {
                if alert {
                    tally.alert_settled();
                } else {
                    progress.received(tally.line_settled());
                }
            });
        }
        outcome
    }
}
