//! A layer that says which line a delivery is.

use ruststream::prelude::*;
use ruststream::runtime::{BlanketLayer, Handler};
use tracing::{Instrument as _, Span};

/// Opens a span with the line's number around each delivery that carries one.
///
/// Decoding happens inside of it, so the warning about a line that doesn't decode says which.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LineSpan;

struct Spanned<Inner>(Inner);

impl BlanketLayer for LineSpan {
    fn apply<M, C, S, H>(&self, handler: H) -> impl Handler<M, C, S> + 'static
    where
        M: Send + Sync + 'static,
        C: Send + 'static,
        S: Send + Sync + 'static,
        H: Handler<M, C, S> + 'static,
    {
        Spanned(handler)
    }
}

impl<M, C, S, Inner> Handler<M, C, S> for Spanned<Inner>
where
    M: Sync,
    C: Send,
    S: Send + Sync,
    Inner: Handler<M, C, S>,
{
    async fn handle(&self, message: &M, ctx: &mut Context<'_, C, S>) -> HandlerOutcome {
        let line = ctx.headers().get_str("line");
        let line: Option<u64> = line.and_then(|line| line.parse().ok());
        // As severe as the warnings it is for: a filter that shows them shows it.
        let span = line.map_or_else(Span::none, |line| tracing::warn_span!("delivery", line));
        self.0.handle(message, ctx).instrument(span).await
    }
}
