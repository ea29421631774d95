//! Verdicts by input family: one outcome for one message, a list of them for a batch.

use crate::input::{Axis, Input};
use crate::outcome::{Continuation, HandlerOutcome, HandlerResult, IntoOutcome};

/// Which shape the refusing half of a verdict has.
#[doc(hidden)]
pub trait VerdictFamily {
    /// What a body returns where it doesn't ack: one outcome, or one for each element.
    type Bad;
}

/// Bodies over one message.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct OneByOne;

impl VerdictFamily for OneByOne {
    type Bad = HandlerOutcome;
}

/// Bodies over a batch.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct Batched;

impl VerdictFamily for Batched {
    type Bad = Vec<HandlerOutcome>;
}

/// What a body over `In` answers: the reply `R`, which acks once it is published, or how to settle
/// instead.
///
/// `Result<R, HandlerOutcome>` for one message, `Result<R, Vec<HandlerOutcome>>` with one outcome
/// for each element of a batch.
pub type Verdict<In, R> = Result<R, <<<In as Input>::Axis as Axis>::Family as VerdictFamily>::Bad>;

/// What a batch body without a reply may return.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a batch handler cannot return `{Self}`: return `()` or outcomes, or say `reply` to publish it",
    label = "this says nothing about what becomes of the batch",
    note = "return one outcome for the whole batch (`()`, `HandlerOutcome`, `Result<(), E>`, `Result<HandlerOutcome, E>`) or `Vec<HandlerOutcome>`, one for each element"
)]
pub trait IntoBatchResult {
    /// The verdict on a batch of `batch_len` elements.
    fn into_batch_result(self, batch_len: usize) -> Result<(), Vec<HandlerOutcome>>;
}

#[diagnostic::do_not_recommend]
impl<O: IntoOutcome> IntoBatchResult for O {
    fn into_batch_result(self, batch_len: usize) -> Result<(), Vec<HandlerOutcome>> {
        match self.into_outcome().into_parts() {
            (HandlerResult::Ack, None) => Ok(()),
            (result, work) => Err(repeated(result, work, batch_len)),
        }
    }
}

/// Taken as it is: the driver compares its length with the batch (RUN-365).
impl IntoBatchResult for Vec<HandlerOutcome> {
    fn into_batch_result(self, _: usize) -> Result<(), Vec<HandlerOutcome>> {
        Err(self)
    }
}

/// The verdict on a batch, from whatever its body returned.
#[doc(hidden)]
pub fn batch_verdict<O: IntoBatchResult>(
    outcome: O,
    batch_len: usize,
) -> Result<(), Vec<HandlerOutcome>> {
    outcome.into_batch_result(batch_len)
}

/// One outcome for every element; its continuation rides the last one, so it runs once, after the
/// whole batch.
#[doc(hidden)]
#[must_use]
pub fn uniform_batch(outcome: HandlerOutcome, batch_len: usize) -> Vec<HandlerOutcome> {
    let (result, work) = outcome.into_parts();
    repeated(result, work, batch_len)
}

fn repeated(
    result: HandlerResult,
    work: Option<Continuation>,
    batch_len: usize,
) -> Vec<HandlerOutcome> {
    let mut outcomes: Vec<_> = (0..batch_len)
        .map(|_| HandlerOutcome::from(result))
        .collect();
    if let (Some(last), Some(work)) = (outcomes.last_mut(), work) {
        *last = HandlerOutcome::from(result).and_after(work);
    }
    outcomes
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const REQUEUE: HandlerResult = HandlerResult::Nack { requeue: true };
    const DROP: HandlerResult = HandlerResult::Nack { requeue: false };

    fn told(outcomes: Vec<HandlerOutcome>) -> Vec<(HandlerResult, bool)> {
        let parts = outcomes.into_iter().map(HandlerOutcome::into_parts);
        parts
            .map(|(result, work)| (result, work.is_some()))
            .collect()
    }

    // RUN-364
    #[test]
    fn a_uniform_outcome_is_the_verdict_on_every_element() {
        assert_eq!(
            told(batch_verdict(HandlerOutcome::retry(), 3).unwrap_err()),
            [(REQUEUE, false); 3]
        );
        assert_eq!(
            told(batch_verdict(Err::<(), _>("full"), 2).unwrap_err()),
            [(DROP, false); 2]
        );
        assert_eq!(
            told(batch_verdict(Ok::<_, ()>(HandlerOutcome::drop()), 2).unwrap_err()),
            [(DROP, false); 2]
        );
    }

    // MAC trap 9
    #[test]
    fn a_plain_ack_of_a_batch_lists_nothing() {
        assert!(batch_verdict((), 3).is_ok());
        assert!(batch_verdict(HandlerOutcome::ack(), 3).is_ok());
        assert!(batch_verdict(Ok::<(), ()>(()), 3).is_ok());
    }

    // MAC trap 9, PUB-331, RUN-293
    #[test]
    fn the_continuation_of_a_uniform_outcome_rides_the_last_element() {
        let acked = batch_verdict(HandlerOutcome::ack().and_after(async {}), 3).unwrap_err();
        let held = HandlerOutcome::retry_after(Duration::from_secs(1)).and_after(async {});
        let held_result = held.outcome();

        assert_eq!(
            told(acked),
            [
                (HandlerResult::Ack, false),
                (HandlerResult::Ack, false),
                (HandlerResult::Ack, true)
            ]
        );
        assert_eq!(
            told(uniform_batch(held, 2)),
            [(held_result, false), (held_result, true)]
        );
    }

    // MAC trap 9
    #[test]
    fn an_empty_batch_has_an_empty_verdict() {
        assert!(uniform_batch(HandlerOutcome::retry().and_after(async {}), 0).is_empty());
        assert!(
            batch_verdict(HandlerOutcome::ack().and_after(async {}), 0)
                .unwrap_err()
                .is_empty()
        );
    }

    // RUN-364, RUN-365
    #[test]
    fn a_verdict_per_element_is_taken_as_it_is() {
        let verdict = batch_verdict(vec![HandlerOutcome::ack(), HandlerOutcome::drop()], 5);

        assert_eq!(
            told(verdict.unwrap_err()),
            [(HandlerResult::Ack, false), (DROP, false)]
        );
    }
}
