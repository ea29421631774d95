//! The layer that gives each delivery a span in its trace.

use opentelemetry::Context as TraceContext;
use opentelemetry::trace::{FutureExt, SpanContext, TraceContextExt, TraceFlags, TraceState};
use opentelemetry_sdk::trace::{IdGenerator, RandomIdGenerator};
use ruststream_runtime::{BlanketLayer, Context, Handler, HandlerOutcome, Layer};
use tracing::{Instrument, Span, field};
use tracing_opentelemetry::OpenTelemetrySpanExt;

use super::w3c;

/// Runs each handler in a span of the delivery's trace, from
/// [`OpenTelemetry::consume_layer`](super::OpenTelemetry::consume_layer).
///
/// The span is `ruststream.consume` at info, with `otel.kind`, `subscription`, `trace_id` and
/// `span_id`. A delivery without a valid `traceparent` starts a trace of its own. The span's
/// context is in the headers that the handler sees, and it is the current OpenTelemetry context
/// while the handler runs.
#[derive(Debug, Clone, Copy, Default)]
pub struct OpenTelemetryLayer;

impl<H> Layer<H> for OpenTelemetryLayer {
    type Handler = OpenTelemetryHandler<H>;

    fn layer(&self, inner: H) -> OpenTelemetryHandler<H> {
        OpenTelemetryHandler { inner }
    }
}

impl BlanketLayer for OpenTelemetryLayer {
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

/// A handler inside an [`OpenTelemetryLayer`].
#[derive(Debug, Clone, Copy, Default)]
pub struct OpenTelemetryHandler<H> {
    inner: H,
}

impl<M, C, S, H> Handler<M, C, S> for OpenTelemetryHandler<H>
where
    M: Sync,
    C: Send,
    S: Send + Sync,
    H: Handler<M, C, S>,
{
    async fn handle(&self, msg: &M, ctx: &mut Context<'_, C, S>) -> HandlerOutcome {
        let parent = w3c::extract(ctx.headers());
        let (span, current) = begin(ctx.name(), parent);
        w3c::inject(current.span().span_context(), ctx.headers_mut());
        self.inner
            .handle(msg, ctx)
            .instrument(span)
            .with_context(current)
            .await
    }
}

/// The span of a delivery, and its context.
fn begin(subscription: &str, parent: Option<SpanContext>) -> (Span, TraceContext) {
    let span = tracing::info_span!(
        "ruststream.consume",
        otel.kind = "consumer",
        subscription = %subscription,
        trace_id = field::Empty,
        span_id = field::Empty,
    );
    let current = exported(&span, parent.as_ref())
        .unwrap_or_else(|| TraceContext::new().with_remote_span_context(continued(parent)));
    let context = current.span().span_context().clone();
    span.record("trace_id", field::display(context.trace_id()));
    span.record("span_id", field::display(context.span_id()));
    (span, current)
}

/// The context of the span that is exported for `span`, begun under `parent`; `None` where none is.
fn exported(span: &Span, parent: Option<&SpanContext>) -> Option<TraceContext> {
    if span.is_disabled() {
        return None;
    }
    // Without a parent it is a root, whatever else this task is in.
    let under = parent.map_or_else(TraceContext::new, |parent| {
        TraceContext::new().with_remote_span_context(parent.clone())
    });
    span.set_parent(under).ok()?;
    let current = span.context();
    let begun = {
        let span = current.span();
        let begun = span.span_context();
        // A tracer that does nothing hands the parent back.
        begun.is_valid() && parent.is_none_or(|parent| parent.span_id() != begun.span_id())
    };
    begun.then_some(current)
}

/// A context of our own in the trace of `parent`, or in a new one.
fn continued(parent: Option<SpanContext>) -> SpanContext {
    let ids = RandomIdGenerator::default();
    let (trace_id, flags, state) = match parent {
        Some(parent) => (
            parent.trace_id(),
            parent.trace_flags(),
            parent.trace_state().clone(),
        ),
        None => (
            ids.new_trace_id(),
            TraceFlags::SAMPLED,
            TraceState::default(),
        ),
    };
    SpanContext::new(trace_id, ids.new_span_id(), flags, false, state)
}
