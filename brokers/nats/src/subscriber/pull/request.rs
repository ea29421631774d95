//! What one pull asks the server for.

use std::num::NonZeroUsize;
use std::time::Duration;

use bytes::Bytes;

/// The largest number of messages that a continuous pull has on its way.
const CONTINUOUS: usize = 200;
const CONTINUOUS_EXPIRES: Duration = Duration::from_secs(30);
/// A server that has nothing to send says so this often.
const HEARTBEAT: Duration = Duration::from_secs(5);
/// What a server may take beyond the time it was given.
const GRACE: Duration = Duration::from_secs(1);

#[derive(Debug, Clone)]
pub(super) struct Request {
    /// How many messages a pull asks for.
    pub(super) batch: usize,
    /// Asked for again once no more than this many are on their way.
    pub(super) low: usize,
    /// Silence of this length says that the server knows nothing of the pull.
    pub(super) patience: Duration,
    pub(super) payload: Bytes,
}

impl Request {
    /// Keeps messages on their way, also while others are handled.
    pub(super) fn continuous() -> Self {
        let (expires, heartbeat) = (CONTINUOUS_EXPIRES.as_nanos(), HEARTBEAT.as_nanos());
        let payload =
            format!(r#"{{"batch":{CONTINUOUS},"expires":{expires},"idle_heartbeat":{heartbeat}}}"#);
        Self {
            batch: CONTINUOUS,
            low: CONTINUOUS / 2,
            patience: HEARTBEAT * 2,
            payload: payload.into(),
        }
    }

    /// For one batch.
    pub(super) fn batch(size: NonZeroUsize, expires: Duration) -> Self {
        let nanoseconds = i64::try_from(expires.as_nanos()).unwrap_or(i64::MAX);
        let payload = format!(r#"{{"batch":{size},"expires":{nanoseconds}}}"#);
        Self {
            batch: size.get(),
            low: 0,
            patience: expires.saturating_add(GRACE),
            payload: payload.into(),
        }
    }
}
