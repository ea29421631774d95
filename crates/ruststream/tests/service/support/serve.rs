//! Running a whole service on a yard.

use std::time::Duration;

use ruststream::runtime::{BrokerScope, RustStreamError};
use tokio::time::Instant;

use super::service;
use super::yard::Yard;

/// What a service did.
pub(crate) struct Served {
    /// All that the broker noted.
    pub(crate) journal: Vec<String>,
    /// What happened to deliveries and messages, in order.
    pub(crate) dealings: Vec<String>,
    /// From the end of the start to the awaited line.
    pub(crate) took: Duration,
    pub(crate) result: Result<(), RustStreamError>,
}

/// Runs a service until `count` lines begin so, and stops it.
pub(crate) async fn serve(
    yard: &Yard,
    count: usize,
    with: &str,
    mount: impl FnOnce(&mut BrokerScope<Yard>),
) -> Served {
    let running = service()
        .with_broker(yard.clone(), mount)
        .start()
        .await
        .expect("starts");
    let begun = Instant::now();
    yard.journal().until_count(count, with).await;
    let took = begun.elapsed();
    let result = running.shutdown().await;
    Served {
        journal: yard.journal().read(),
        dealings: dealings(yard),
        took,
        result,
    }
}

/// What happened to deliveries and messages since the last look.
pub(crate) fn dealings(yard: &Yard) -> Vec<String> {
    let mut lines = yard.journal().take();
    let around = [
        "connect", "pair", "open", "close", "shutdown", "declare", "address",
    ];
    lines.retain(|line| !around.iter().any(|start| line.starts_with(start)));
    lines
}
