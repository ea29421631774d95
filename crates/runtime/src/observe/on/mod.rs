//! The seam with a harness that may be attached.

mod attached;
mod broker;
mod mounted;
mod publisher;
mod span;
mod within;

pub(crate) use attached::Attached;
pub use broker::{Connection, Facts};
pub(crate) use broker::{Scope, Transition};
pub(crate) use mounted::{Counted, Mounted};
pub use publisher::Observed;
pub(crate) use span::{Span, lent, lent_batch};
