//! Which handlers run.

use ruststream::memory::MemoryBroker;
use ruststream::prelude::*;

use crate::orders::{confirm, note};

/// Everything about orders.
pub fn orders() -> impl RouterDef<MemoryBroker> {
    Router::new().include(confirm).include(note)
}
