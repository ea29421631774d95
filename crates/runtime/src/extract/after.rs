//! Work that waits for one kind of verdict.

use std::fmt;
use std::future::Future;

use super::context::Context;
use crate::settle::hooks::HookKind;

/// A hook without its work yet, made by [`Context::after`].
#[must_use = "nothing is registered until `.then(..)` names the work"]
pub struct After<'ctx, 'a, C = (), S = ()> {
    ctx: &'ctx mut Context<'a, C, S>,
    kind: HookKind,
}

impl<'ctx, 'a, C, S> After<'ctx, 'a, C, S> {
    pub(super) const fn new(ctx: &'ctx mut Context<'a, C, S>, kind: HookKind) -> Self {
        Self { ctx, kind }
    }
}

impl<C, S> After<'_, '_, C, S> {
    /// Registers the work: it is spawned once the delivery was settled with that kind of verdict.
    pub fn then(self, fut: impl Future<Output = ()> + Send + 'static) {
        self.ctx.register(self.kind, fut);
    }
}

impl<C, S> fmt::Debug for After<'_, '_, C, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("After")
            .field("verdict", &self.kind)
            .finish_non_exhaustive()
    }
}
