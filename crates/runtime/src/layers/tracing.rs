//! A log line for each delivery and each outcome.

use tracing::Instrument;

use super::layer::{BlanketLayer, Layer};
use crate::extract::Context;
use crate::handler::Handler;
use crate::outcome::{HandlerOutcome, HandlerResult};

const DISPATCH: &str = "ruststream::dispatch";

/// Logs what is delivered and what becomes of it, and runs the handler in a span.
///
/// Under the target `ruststream::dispatch`, each with the `subscription`: debug `delivery received`, then info `handler ack`, or
/// warn `handler nack` or `handler delayed nack`. The span is `handle`, at trace level.
///
/// ```
/// use ruststream_runtime::layers::TracingLayer;
///
/// let layer = TracingLayer::with_target("depot::scans");
/// # let _ = layer;
/// ```
#[derive(Debug, Clone)]
pub struct TracingLayer {
    target: &'static str,
}

impl TracingLayer {
    /// A layer whose span carries `target` in its field of that name, to tell layers apart.
    #[must_use]
    pub const fn with_target(target: &'static str) -> Self {
        Self { target }
    }
}

impl Default for TracingLayer {
    fn default() -> Self {
        Self::with_target(DISPATCH)
    }
}

impl<H> Layer<H> for TracingLayer {
    type Handler = TracingHandler<H>;

    fn layer(&self, inner: H) -> TracingHandler<H> {
        TracingHandler {
            inner,
            target: self.target,
        }
    }
}

impl BlanketLayer for TracingLayer {
    fn apply<M, C, S, H>(&self, handler: H) -> impl Handler<M, C, S> + 'static
    where
        M: Send + Sync + 'static,
        C: Send + 'static,
        S: Send + Sync + 'static,
        H: Handler<M, C, S> + 'static,
    {
        self.layer(handler)
    }
}

/// A handler inside a [`TracingLayer`].
#[derive(Debug, Clone)]
pub struct TracingHandler<H> {
    inner: H,
    target: &'static str,
}

impl<M, C, S, H> Handler<M, C, S> for TracingHandler<H>
where
    M: Sync,
    C: Send,
    S: Send + Sync,
    H: Handler<M, C, S>,
{
    async fn handle(&self, msg: &M, ctx: &mut Context<'_, C, S>) -> HandlerOutcome {
        tracing::debug!(target: DISPATCH, subscription = %ctx.name(), "delivery received");
        let span = tracing::trace_span!(target: DISPATCH, "handle", target = self.target);
        let outcome = self.inner.handle(msg, ctx).instrument(span).await;
        log(outcome.outcome(), ctx.name());
        outcome
    }
}

fn log(result: HandlerResult, subscription: &str) {
    match result {
        HandlerResult::Ack => {
            tracing::info!(target: DISPATCH, subscription = %subscription, "handler ack");
        }
        HandlerResult::Nack { requeue } => {
            tracing::warn!(target: DISPATCH, subscription = %subscription, requeue, "handler nack");
        }
        HandlerResult::NackAfter { delay } => {
            tracing::warn!(
                target: DISPATCH, subscription = %subscription, ?delay, "handler delayed nack"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures_util::FutureExt;

    use super::*;
    use crate::deliver::headers::DeliveryHeaders;
    use crate::extract::site::fixture::parcels;
    use crate::layers::ext::HandlerExt;
    use crate::layers::log_capture::LogCapture;

    async fn lines(layer: TracingLayer, outcome: fn() -> HandlerOutcome) -> Vec<String> {
        let (site, headers) = (parcels(()), DeliveryHeaders::none());
        let body = |_: &u8, _: &mut Context<'_>| async move {
            tracing::info!(target: "body", "runs");
            outcome()
        };
        let log = LogCapture::start();

        let told = body
            .with(layer)
            .handle(&1, &mut Context::new(&site, (), &headers))
            .await;

        assert_eq!(told.outcome(), outcome().outcome());
        log.take()
    }

    // RUN-443, OBS-09
    #[tokio::test]
    async fn a_delivery_and_what_becomes_of_it_are_logged() {
        let received = "DEBUG ruststream::dispatch: delivery received subscription=parcels";
        let runs = "TRACE handle{target=\"ruststream::dispatch\"} INFO body: runs";
        for (outcome, line) in [
            (
                HandlerOutcome::ack as fn() -> _,
                "INFO ruststream::dispatch: handler ack subscription=parcels",
            ),
            (
                HandlerOutcome::retry,
                "WARN ruststream::dispatch: handler nack subscription=parcels requeue=true",
            ),
            (
                HandlerOutcome::drop,
                "WARN ruststream::dispatch: handler nack subscription=parcels requeue=false",
            ),
            (
                || HandlerOutcome::retry_after(Duration::from_secs(5)),
                "WARN ruststream::dispatch: handler delayed nack subscription=parcels delay=5s",
            ),
        ] {
            assert_eq!(
                lines(TracingLayer::default(), outcome).await,
                [received, runs, line]
            );
        }
    }

    // OBS-09
    #[tokio::test]
    async fn the_named_target_is_a_field_of_the_span_alone() {
        let lines = lines(
            TracingLayer::with_target("depot::scans"),
            HandlerOutcome::ack,
        )
        .await;

        assert_eq!(
            lines[1],
            "TRACE handle{target=\"depot::scans\"} INFO body: runs"
        );
        assert!(
            lines[0].contains("ruststream::dispatch") && lines[2].contains("ruststream::dispatch")
        );
    }

    // OBS-09
    #[tokio::test]
    async fn a_continuation_passes_through() {
        let (site, headers) = (parcels(()), DeliveryHeaders::none());
        let body =
            |_: &u8, _: &mut Context<'_>| async { HandlerOutcome::ack().and_after(async {}) };
        let handler = TracingLayer::default().apply::<u8, (), (), _>(body);

        let outcome = handler
            .handle(&1, &mut Context::new(&site, (), &headers))
            .await;

        outcome.into_parts().1.unwrap().now_or_never().unwrap();
    }
}
