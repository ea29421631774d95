//! What a service on this broker imports beside the core prelude.
//!
//! The facade's `ruststream::memory::prelude` is `ruststream::prelude` and these names. A routes
//! file that imports it changes brokers by changing that one import.

pub use ruststream_core::{
    OwnedTransactions, Positioned, RequestReply, Seeker, Transaction, TransactionalPublisher,
};

pub use crate::{
    Discarding, MemoryBatchContext, MemoryBroker, MemoryContext, MemoryError, MemoryPattern,
    MemoryPosition, MemoryPublish as Publish, MemoryPublish as TransactionalPublish,
    MemoryRequest as Request, MemorySource, Position, Retaining, Retention, Routing, SeekHandle,
};
