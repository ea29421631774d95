//! What tests of a broker crate share.

use std::fmt::{Debug, Write as _};
use std::hash::{BuildHasher, RandomState};
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures_util::StreamExt;
use ruststream_core::Subscriber;
use tokio::time::{Instant, sleep_until, timeout, timeout_at};

const BETWEEN_LOOKS: Duration = Duration::from_millis(10);

/// A subject that no other call names: in this process, in another, or in an earlier run.
///
/// It is `prefix`, a `.` and characters of `[0-9a-f-]`, so a server can provision for the prefix.
///
/// ```
/// use ruststream_conformance::helpers::unique_subject;
///
/// let subject = unique_subject("parcels");
/// assert!(subject.starts_with("parcels."));
/// assert_ne!(subject, unique_subject("parcels"));
/// ```
#[must_use]
pub fn unique_subject(prefix: &str) -> String {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    let call = CALLS.fetch_add(1, Ordering::Relaxed);
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let nanos = now.map_or(0, |since| since.as_nanos());
    // Each state is seeded anew by the system: two hosts may share a time and a process id.
    let random = RandomState::new().hash_one(call);
    let mut subject = format!("{prefix}.");
    // Writing to a string cannot fail.
    let _ = write!(
        subject,
        "{nanos:x}-{:x}-{call:x}-{random:016x}",
        std::process::id()
    );
    subject
}

/// Looks at `cond` about every 10 ms until it holds; `false` if it does not within `deadline`.
///
/// # Panics
///
/// Outside a Tokio runtime with time.
pub async fn wait_until<F>(mut cond: F, deadline: Duration) -> bool
where
    F: FnMut() -> bool,
{
    wait_until_async(|| std::future::ready(cond()), deadline).await
}

/// Awaits `cond` about every 10 ms until it holds; `false` if it does not within `deadline`.
///
/// A look that is still under way at the deadline is dropped.
///
/// # Panics
///
/// Outside a Tokio runtime with time.
pub async fn wait_until_async<F, Fut>(mut cond: F, deadline: Duration) -> bool
where
    F: FnMut() -> Fut,
    Fut: Future<Output = bool>,
{
    let until = Instant::now() + deadline;
    loop {
        match timeout_at(until, cond()).await {
            Ok(true) => return true,
            Err(_) => return false,
            Ok(false) => {}
        }
        let now = Instant::now();
        if now >= until {
            return false;
        }
        sleep_until(until.min(now + BETWEEN_LOOKS)).await;
    }
}

/// Watches a subscription for `quiet_for`, in which no delivery should come.
///
/// The end of the stream and its errors count as quiet.
///
/// # Errors
///
/// The delivery that came.
///
/// # Panics
///
/// Outside a Tokio runtime with time.
pub async fn wait_for_no_messages<S>(
    subscriber: &mut S,
    quiet_for: Duration,
) -> Result<(), S::Message>
where
    S: Subscriber,
{
    let until = Instant::now() + quiet_for;
    let mut stream = pin!(subscriber.stream());
    loop {
        match timeout_at(until, stream.next()).await {
            Ok(Some(Ok(message))) => return Err(message),
            // An error may be there at every poll: rest, or the deadline is never looked at.
            Ok(Some(Err(_))) => {
                let now = Instant::now();
                if now >= until {
                    return Ok(());
                }
                sleep_until(until.min(now + BETWEEN_LOOKS)).await;
            }
            Ok(None) | Err(_) => return Ok(()),
        }
    }
}

/// The next delivery of a subscription.
///
/// A stream is opened and dropped for it, which by the contract loses nothing.
///
/// # Panics
///
/// When nothing comes within `within`, when the stream ends or yields an error, and outside a Tokio
/// runtime with time.
pub async fn next_message<S>(subscriber: &mut S, within: Duration) -> S::Message
where
    S: Subscriber,
    S::Error: Debug,
{
    let mut stream = pin!(subscriber.stream());
    let Ok(next) = timeout(within, stream.next()).await else {
        panic!("next_message: nothing came within {within:?}")
    };
    match next {
        Some(Ok(message)) => message,
        Some(Err(error)) => panic!("next_message: the subscription reported {error:?}"),
        None => panic!("next_message: the subscription ended"),
    }
}
