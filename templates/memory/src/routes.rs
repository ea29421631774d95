//! Which handlers run.

use ruststream::memory::MemoryBroker;
use ruststream::prelude::*;

use crate::orders::{confirm, note};

/// Everything about orders.
pub fn orders() -> impl RouterDef<MemoryBroker> {
    // A handler that answers may have more said about its answer, up to `build()`.
    Router::new().include(confirm).build().include(note)
}
