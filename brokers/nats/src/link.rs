//! What is behind a handle.

use std::sync::Arc;

use crate::connection::Connection;

/// The transport that handles share: a server, or under `testing` its stand-in.
#[derive(Clone)]
pub(crate) enum Link {
    Live(Arc<Connection>),
    #[cfg(feature = "testing")]
    InProcess(Arc<crate::in_process::Bus>),
}

// NATS-04
#[cfg(not(feature = "testing"))]
const _: () = assert!(size_of::<Link>() == size_of::<usize>());
