//! The path of one delivery, and the drivers that take deliveries from a stream.
//!
//! Read [`delivery`] from top to bottom: attempt check, context, layers, input, body, reply,
//! settlement, continuations. [`step`] is the innermost handler that the layers wrap. The drivers
//! (`sequential`, ..) differ only in who runs that path.

mod delivery;
mod dispatch;
pub(crate) mod headers;
mod sequential;
mod step;
pub(crate) mod stop;

pub(crate) use delivery::Subscription;
pub(crate) use dispatch::dispatch;
pub(crate) use step::{Step, refuse_with};
