//! The transform that carries a trace on.

use opentelemetry::Context as TraceContext;
use opentelemetry::trace::TraceContextExt;
use ruststream_runtime::{
    ForReply, ForSlot, Outgoing, PublishContext, PublishTransform, Reads, SlotContext,
};

use super::w3c;

/// Carries the trace of a delivery on, from
/// [`OpenTelemetry::propagation`](super::OpenTelemetry::propagation).
///
/// On a reply it copies `traceparent` and `tracestate` from the headers that the handler saw, over
/// what the reply has; with the consume layer mounted the reply's parent is the handler's span. A
/// delivery without a `traceparent` leaves the reply alone. A batch reply takes it through
/// `for_batch`.
///
/// On a slot it writes the context that is current where the publish is awaited: in a handler,
/// with the consume layer mounted, that of its span. Where none is current the message is left
/// alone.
#[derive(Debug, Clone, Copy, Default)]
pub struct TracePropagation;

impl<C, Options> PublishTransform<ForReply<C>, Options> for TracePropagation {
    type Destination = Reads;

    fn apply(&self, out: &mut Outgoing<'_>, _: &mut Option<Options>, cx: &PublishContext<'_, C>) {
        w3c::copy(cx.headers(), out.headers_mut());
    }
}

impl<Options> PublishTransform<ForSlot, Options> for TracePropagation {
    type Destination = Reads;

    fn apply(&self, out: &mut Outgoing<'_>, _: &mut Option<Options>, _: &SlotContext<'_>) {
        TraceContext::map_current(|current| {
            let span = current.span();
            if span.span_context().is_valid() {
                w3c::inject(span.span_context(), out.headers_mut());
            }
        });
    }
}
