use std::any::Any;
use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;

/// The suite must fail with a message that begins with `start` and contains each of `told`.
#[track_caller]
pub(crate) fn judged(verdict: Result<(), Box<dyn Any + Send>>, start: &str, told: &[&str]) {
    let panic = verdict.expect_err("the suite accepted a broken broker");
    let message = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .expect("the suite failed with a message");
    assert!(
        message.starts_with(start),
        "{message:?} does not start with {start:?}"
    );
    assert!(
        message.contains("; the contract asks that "),
        "{message:?} does not say what the contract asks"
    );
    for told in told {
        assert!(message.contains(told), "{message:?} does not tell {told:?}");
    }
}

/// Runs a suite on a broken broker.
pub(crate) async fn rejected(suite: impl Future<Output = ()>, start: &str, told: &[&str]) {
    let verdict = AssertUnwindSafe(suite).catch_unwind().await;
    judged(verdict, start, told);
}
