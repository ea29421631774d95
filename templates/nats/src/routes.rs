//! Which handlers run.

use ruststream::prelude::*;
use ruststream_nats::NatsBroker;

use crate::orders::{confirm, note};

/// Everything about orders.
pub fn orders() -> impl RouterDef<NatsBroker> {
    Router::new().include(confirm).include(note)
}
