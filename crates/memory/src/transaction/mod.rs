//! Transactions: buffers that reach the bus whole or not at all.

mod handle;
mod owned;

pub(crate) use handle::HandleTransaction;
pub use owned::MemoryTransaction;
