use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use super::TestableBroker;
use crate::RawMessage;

const BETWEEN_LOOKS: Duration = Duration::from_millis(2);

/// Waits until `count` messages were published under `name`, for at most `timeout`.
///
/// Returns what was published, also when that is still too little at the end; the caller asserts on
/// it. The log is looked at about every 2 ms of the runtime's clock, which a test may have paused.
///
/// # Panics
///
/// Outside a Tokio runtime with time.
pub async fn expect_published<B: TestableBroker>(
    broker: &B,
    name: &str,
    count: usize,
    timeout: Duration,
) -> Vec<RawMessage> {
    let start = Instant::now();
    loop {
        let published = broker.published(name);
        let waited = start.elapsed();
        if published.len() >= count || waited >= timeout {
            return published;
        }
        sleep_until(Instant::now() + BETWEEN_LOOKS.min(timeout.saturating_sub(waited))).await;
    }
}
