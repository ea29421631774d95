//! What a layer is.

use crate::handler::Handler;

/// Wraps one handler in another.
///
/// A layer may look at the message and its context, change the context, replace the outcome, call
/// the inner handler again or not at all.
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU64, Ordering};
/// use ruststream_runtime::{Context, Handler, HandlerOutcome, Layer};
///
/// #[derive(Clone, Default)]
/// struct CountDrops(Arc<AtomicU64>);
///
/// struct Counted<H> { inner: H, drops: Arc<AtomicU64> }
///
/// impl<H> Layer<H> for CountDrops {
///     type Handler = Counted<H>;
///
///     fn layer(&self, inner: H) -> Counted<H> {
///         Counted { inner, drops: Arc::clone(&self.0) }
///     }
/// }
///
/// impl<M: Sync, C: Send, S: Send + Sync, H: Handler<M, C, S>> Handler<M, C, S> for Counted<H> {
///     async fn handle(&self, msg: &M, ctx: &mut Context<'_, C, S>) -> HandlerOutcome {
///         let outcome = self.inner.handle(msg, ctx).await;
///         if outcome.is_drop() {
///             self.drops.fetch_add(1, Ordering::Relaxed);
///         }
///         outcome
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot wrap the handler `{H}`: a layer of every handler goes on the app or a router",
    label = "not a layer for this handler",
    note = "implement `Layer<H>` for it over the handlers that it wraps; a layer that is a `BlanketLayer` alone goes on the app or the router, with `.layer(..)` before anything is mounted"
)]
pub trait Layer<H> {
    /// The wrapped handler.
    type Handler;

    /// Wraps `inner`.
    fn layer(&self, inner: H) -> Self::Handler;
}

/// A layer that wraps any handler, as one around a whole app or router must.
///
/// It doesn't reach batch bodies.
///
/// ```
/// use ruststream_runtime::{BlanketLayer, Context, Handler, HandlerOutcome};
///
/// struct NeverRetry;
///
/// struct Resigned<H>(H);
///
/// impl<M: Sync, C: Send, S: Send + Sync, H: Handler<M, C, S>> Handler<M, C, S> for Resigned<H> {
///     async fn handle(&self, msg: &M, ctx: &mut Context<'_, C, S>) -> HandlerOutcome {
///         let outcome = self.0.handle(msg, ctx).await;
///         if outcome.is_retry() { HandlerOutcome::drop() } else { outcome }
///     }
/// }
///
/// impl BlanketLayer for NeverRetry {
///     fn apply<M, C, S, H>(&self, handler: H) -> impl Handler<M, C, S> + 'static
///     where
///         M: Send + Sync + 'static,
///         C: Send + 'static,
///         S: Send + Sync + 'static,
///         H: Handler<M, C, S> + 'static,
///     {
///         Resigned(handler)
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot wrap every handler of an app or a router: implement `BlanketLayer`, or put it on one route",
    label = "not a `BlanketLayer`",
    note = "implement `BlanketLayer` for it; a layer that wraps particular handlers only, such as a `DynStack`, goes on one route with `.layer(..)` or around one handler with `.with(..)`"
)]
pub trait BlanketLayer: Send + Sync {
    /// Wraps `handler`, whatever it handles.
    fn apply<M, C, S, H>(&self, handler: H) -> impl Handler<M, C, S> + 'static
    where
        M: Send + Sync + 'static,
        C: Send + 'static,
        S: Send + Sync + 'static,
        H: Handler<M, C, S> + 'static;
}
