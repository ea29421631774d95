//! The body of a definition.

use crate::extract::Context;
use crate::input::Input;
use crate::verdict::Verdict;

/// The body of a handler: what to do with one input.
///
/// `In` is the input, `R` the reply (`()` for none, `Vec<Reply>` for a batch), `O` the slots
/// ([`Outs`](crate::Outs)), `C` the delivery context and `S` the application state. The attribute
/// macro writes this implementation for a function; written by hand it can hold fields and be
/// generic.
///
/// `Ok` publishes the reply, if there is one, and acknowledges. `Err` settles by the outcome it
/// carries, an acknowledgement included.
///
/// ```
/// use ruststream_runtime::{Context, Handle, HandlerOutcome};
///
/// struct Weigh {
///     limit: u32,
/// }
///
/// impl Handle<u32> for Weigh {
///     async fn handle(
///         &self,
///         grams: &u32,
///         _outs: &(),
///         _ctx: &mut Context<'_>,
///     ) -> Result<(), HandlerOutcome> {
///         if *grams > self.limit { Err(HandlerOutcome::drop()) } else { Ok(()) }
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not handle `{In}` here: its state is that of `on_startup`, its context that of the broker",
    label = "no `Handle<{In}, {R}, {O}, {C}, {S}>` for this body",
    note = "the body's reply, slots, delivery context and application state must be those of the \
            place where it is mounted: check the state that `on_startup` produces and the broker's \
            context type"
)]
pub trait Handle<In: ?Sized + Input, R = (), O = (), C = (), S = ()>: Send + Sync {
    /// Handles one input.
    ///
    /// Dropped before it ends only when a stop outlasts its timeout; the delivery then stays
    /// unsettled and comes back by the broker's own rules.
    fn handle(
        &self,
        input: &In,
        outs: &O,
        ctx: &mut Context<'_, C, S>,
    ) -> impl Future<Output = Verdict<In, R>> + Send;
}
