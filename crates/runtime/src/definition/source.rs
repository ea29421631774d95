//! The hand-written way to a definition.

use ruststream_core::IntoSource;

use super::docs::Docs;
use super::value::HandleValue;
use crate::handle::Handle;
use crate::input::Input;
use crate::mount::{SubscriberBuilder, ValueBuilder};

/// Starts a definition from a subscription source and a body (RUN-182).
///
/// The result takes the same settings as an attribute's definition; `.build()` seals it, and only a
/// sealed definition mounts.
///
/// ```
/// use ruststream_runtime::{Context, Handle, HandlerOutcome, subscriber};
///
/// struct Count;
///
/// impl Handle<u64> for Count {
///     async fn handle(
///         &self,
///         _n: &u64,
///         _outs: &(),
///         _ctx: &mut Context<'_>,
///     ) -> Result<(), HandlerOutcome> {
///         Ok(())
///     }
/// }
///
/// let counted = subscriber("parcels.counted", Count).describe("Counts parcels.").build();
/// # let _ = counted;
/// ```
#[must_use]
pub fn subscriber<Src, In, R, O, C, S, H>(
    source: Src,
    body: H,
) -> ValueBuilder<HandleValue<In::Axis, R, O, C, H>, Src>
where
    Src: IntoSource,
    In: ?Sized + Input,
    H: Handle<In, R, O, C, S>,
{
    SubscriberBuilder::new(
        HandleValue::new(body, Docs::default()),
        source.into_source(),
    )
}
