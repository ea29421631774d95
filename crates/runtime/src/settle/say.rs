//! What settling tells the operator.
//!
//! Apart from the path of a delivery, which every service compiles for each of its handlers.

use ruststream_core::AckError;

use super::causes::Causes;
use crate::app::BoxError;

#[cold]
pub(super) fn delay_dropped(subscription: &str) {
    tracing::warn!(
        target: "ruststream::dispatch", subscription = %subscription,
        "the transport holds no delay and nothing publishes a copy; \
         requeuing immediately (the delay is dropped)"
    );
}

#[cold]
pub(super) fn rejected(subscription: &str, attempt: u64) {
    tracing::warn!(
        target: "ruststream::dispatch", subscription = %subscription, attempt,
        "retry attempts exhausted and no dead-letter destination is declared; \
         rejecting the delivery"
    );
}

#[cold]
pub(super) fn exhausted(subscription: &str, attempt: u64, dead_letter: &str) {
    tracing::warn!(
        target: "ruststream::dispatch",
        subscription = %subscription, attempt, dead_letter = %dead_letter,
        "retry attempts exhausted; publishing the delivery to the dead-letter destination"
    );
}

/// `again`: a service reads once that its transport settles nothing (RUN-282).
#[cold]
pub(super) fn settle_failed(subscription: &str, error: &AckError, again: bool) {
    if again {
        tracing::trace!(
            target: "ruststream::dispatch",
            subscription = %subscription, error = %error, "ack / nack failed"
        );
    } else {
        tracing::warn!(
            target: "ruststream::dispatch",
            subscription = %subscription, error = %error, "ack / nack failed"
        );
    }
}

#[cold]
pub(super) fn copy_failed(subscription: &str, destination: &str, error: &BoxError, returned: bool) {
    tracing::warn!(
        target: "ruststream::dispatch",
        subscription = %subscription, destination = %destination,
        error = %Causes(error.as_ref()), returned, "publishing the retry copy failed"
    );
}

#[cold]
pub(super) fn lost(subscription: &str, destination: &str, error: &BoxError) {
    tracing::error!(
        target: "ruststream::dispatch",
        subscription = %subscription, destination = %destination,
        error = %Causes(error.as_ref()), lost = true, "publishing the retry copy failed"
    );
}
