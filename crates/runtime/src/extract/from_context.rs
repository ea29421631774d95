//! Values that a body takes from the context of its delivery.

use std::future::Future;

use super::context::Context;
use crate::outcome::HandlerOutcome;

/// A value that is made from the context of a delivery, and can so be a parameter of a body.
///
/// Parameters are extracted in the order of their declaration, after decoding and before the body.
/// The first rejection is the outcome of the delivery; nothing after it runs.
///
/// ```
/// use ruststream_runtime::{Context, FromContext, HandlerOutcome};
///
/// struct Tenant(String);
///
/// impl<C: Send, S: Sync> FromContext<C, S> for Tenant {
///     type Rejection = HandlerOutcome;
///
///     async fn from_context(ctx: &mut Context<'_, C, S>) -> Result<Self, HandlerOutcome> {
///         let tenant = ctx.headers().get_str("tenant").ok_or(HandlerOutcome::drop())?;
///         Ok(Self(tenant.to_owned()))
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be extracted from the context `{C}` with the app state `{S}`: take `State`, `Ctx` or `Headers`, or implement `FromContext`",
    label = "not a handler parameter here",
    note = "implement `FromContext<{C}, {S}>` for it, or take `State<T>` with `T: FromRef<{S}>`, `Ctx<K>` with a key of `{C}`, or `Headers<T>`"
)]
pub trait FromContext<C = (), S = ()>: Sized {
    /// What becomes of the delivery where the value cannot be made; `Infallible` where it always
    /// can.
    type Rejection: Into<HandlerOutcome>;

    /// Makes the value.
    fn from_context(
        ctx: &mut Context<'_, C, S>,
    ) -> impl Future<Output = Result<Self, Self::Rejection>> + Send;
}
