use ruststream_runtime::HandlerResult;

use crate::harness::CallRecord;

/// How one call of a handler ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// Its delivery was acknowledged.
    Ack,
    /// Its delivery was given back, to come again at once or after a delay.
    Nack,
    /// Its delivery was given up, or left unsettled.
    Drop,
    /// Its delivery did not decode, and the body did not run.
    DecodeFailed,
    /// It panicked.
    Panicked,
}

impl Outcome {
    /// The first that applies; of a batch, that of its first delivery (TEST-44).
    pub(super) fn of(call: &CallRecord) -> Self {
        if call.panicked {
            return Self::Panicked;
        }
        if call.decode_failed {
            return Self::DecodeFailed;
        }
        match call.deliveries.first().and_then(|first| first.settled) {
            Some(HandlerResult::Ack) => Self::Ack,
            Some(HandlerResult::Nack { requeue: true } | HandlerResult::NackAfter { .. }) => {
                Self::Nack
            }
            Some(HandlerResult::Nack { requeue: false }) | None => Self::Drop,
        }
    }
}
