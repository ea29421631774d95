//! Wrapping one handler where it is made.

use super::layer::Layer;
use crate::handler::Handler;

/// What every handler can do besides handling.
pub trait HandlerExt<M, C = (), S = ()>: Handler<M, C, S> + Sized {
    /// Wraps this handler in `layer`.
    ///
    /// ```
    /// use ruststream_runtime::{Context, Handler, HandlerExt, layers::TracingLayer};
    ///
    /// fn traced<M: Sync>(handler: impl Handler<M>) -> impl Handler<M> {
    ///     handler.with(TracingLayer::default())
    /// }
    /// ```
    fn with<L>(self, layer: L) -> L::Handler
    where
        L: Layer<Self>,
    {
        layer.layer(self)
    }
}

impl<M, C, S, H> HandlerExt<M, C, S> for H where H: Handler<M, C, S> {}
