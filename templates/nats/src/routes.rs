//! Which handlers run.

use ruststream::prelude::*;
use ruststream_nats::NatsBroker;

use crate::orders::{confirm, note};

/// Everything about orders.
pub fn orders() -> impl RouterDef<NatsBroker> {
    // A handler that answers may have more said about its answer, up to `build()`.
    Router::new().include(confirm).build().include(note)
}
