//! What becomes of a delivery: the decision, and carrying it out.

mod act;
mod backoff;
mod causes;
mod copies;
mod copy_headers;
mod decide;
pub(crate) mod hooks;
mod say;

pub(crate) use act::{Close, Settlement};
pub use copies::{
    PairCopies, Paired, PublishesCopiesHere, RetryDeclareError, RetryPlanned, SettledCopies,
};
pub(crate) use decide::Action;
pub(crate) use hooks::{after_batch, after_delivery};
