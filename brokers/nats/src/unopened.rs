//! Errors of a subscription to a stream that does not open, told with what was to be opened and where.

use std::error::Error;

use async_nats::jetstream::context::{
    GetStreamError, GetStreamErrorKind, RequestError, RequestErrorKind,
};
use async_nats::jetstream::stream::{ConsumerError, ConsumerErrorKind};
use async_nats::jetstream::{self, ErrorCode};

use crate::about::about;
use crate::error::NatsError;
use crate::source::{JetStreamSubject, NatsSubscription};

/// The stream was not found, or could not be asked for.
pub(crate) fn stream(error: GetStreamError, source: &JetStreamSubject, place: &str) -> NatsError {
    let hint = match error.kind() {
        GetStreamErrorKind::JetStream(refusal) => refused(&refusal),
        _ => unanswered(&error),
    };
    NatsError::jetstream(about(error, what(source, place, hint)))
}

/// The consumer was not made.
pub(crate) fn consumer(error: ConsumerError, source: &JetStreamSubject, place: &str) -> NatsError {
    let hint = match error.kind() {
        ConsumerErrorKind::JetStream(refusal) => refused(&refusal),
        ConsumerErrorKind::TimedOut => NOBODY_ANSWERED,
        _ => unanswered(&error),
    };
    NatsError::jetstream(about(error, what(source, place, hint)))
}

const NOBODY_ANSWERED: &str =
    " (nobody answered: the account may not be allowed to ask for it, or a cluster has no leader)";

fn what(source: &JetStreamSubject, place: &str, hint: &str) -> String {
    format!(
        "subscription `{}` to the stream `{}` at {place}{hint}",
        source.subject(),
        source.stream()
    )
}

fn refused(refusal: &jetstream::Error) -> &'static str {
    if refusal.error_code() == ErrorCode::STREAM_NOT_FOUND {
        " (make the stream first: a service makes consumers and no streams)"
    } else {
        ""
    }
}

/// What it means that a request was not answered as one.
fn unanswered(error: &dyn Error) -> &'static str {
    let asked = error
        .source()
        .and_then(|cause| cause.downcast_ref::<RequestError>());
    match asked.map(RequestError::kind) {
        Some(RequestErrorKind::TimedOut) => NOBODY_ANSWERED,
        Some(RequestErrorKind::NoResponders) => {
            " (is JetStream enabled on the server, and for this account?)"
        }
        _ => "",
    }
}
