//! What a body says about its delivery.

use std::convert::Infallible;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

/// Work that the runtime spawns once a delivery is settled.
pub(crate) type Continuation = Pin<Box<dyn Future<Output = ()> + Send>>;

/// How a delivery is settled, without the work attached to it.
///
/// Plumbing of the macros and of observers; a body answers with a [`HandlerOutcome`].
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HandlerResult {
    /// The delivery is done.
    Ack,
    /// The delivery is given back.
    Nack {
        /// Whether it comes again; `false` drops it.
        requeue: bool,
    },
    /// The delivery comes again, no sooner than the delay.
    NackAfter {
        /// How long to hold it back.
        delay: Duration,
    },
}

/// What becomes of a delivery, and what to run once that is settled.
///
/// A body returns one itself, or through the shorter shapes that convert into it: `()` acks,
/// `Result<(), E>` acks or drops. The error of the latter is of any type, and nobody logs it; a body
/// whose deliveries must not get lost answers with an outcome.
///
/// ```
/// use std::time::Duration;
/// use ruststream_runtime::HandlerOutcome;
///
/// fn after_scan(stored: Result<(), bool>) -> HandlerOutcome {
///     match stored {
///         Ok(()) => HandlerOutcome::ack(),
///         Err(transient @ true) => HandlerOutcome::retry_after(Duration::from_secs(5)),
///         Err(_) => HandlerOutcome::drop(),
///     }
/// }
/// assert_eq!(after_scan(Err(true)).retry_delay(), Some(Duration::from_secs(5)));
/// ```
#[must_use = "an outcome settles nothing until it is returned to the runtime"]
pub struct HandlerOutcome {
    result: HandlerResult,
    continuation: Option<Continuation>,
}

impl HandlerOutcome {
    const fn bare(result: HandlerResult) -> Self {
        Self {
            result,
            continuation: None,
        }
    }

    /// The delivery is done and never comes again.
    pub const fn ack() -> Self {
        Self::bare(HandlerResult::Ack)
    }

    /// The delivery comes again, as the registration's retry declaration says.
    pub const fn retry() -> Self {
        Self::bare(HandlerResult::Nack { requeue: true })
    }

    /// The delivery comes again, no sooner than `delay`.
    ///
    /// Where the transport holds nothing back by itself, a copy is published after the delay.
    pub const fn retry_after(delay: Duration) -> Self {
        Self::bare(HandlerResult::NackAfter { delay })
    }

    /// The delivery is given up: it never comes again, and no dead letter is made of it.
    pub const fn drop() -> Self {
        Self::bare(HandlerResult::Nack { requeue: false })
    }

    /// Attaches work that runs once after the delivery was settled, whatever the settling answered.
    ///
    /// The loop doesn't wait for it; an orderly shutdown does. A second call replaces the work of
    /// the first.
    ///
    /// ```
    /// use ruststream_runtime::HandlerOutcome;
    ///
    /// let outcome = HandlerOutcome::ack().and_after(async { println!("parcel 41 is on its way") });
    /// assert!(outcome.is_ack());
    /// ```
    pub fn and_after<F>(mut self, fut: F) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        self.continuation = Some(Box::pin(fut));
        self
    }

    /// Whether the delivery is done.
    #[must_use]
    pub const fn is_ack(&self) -> bool {
        matches!(self.result, HandlerResult::Ack)
    }

    /// Whether the delivery comes again, at once or after a delay.
    #[must_use]
    pub const fn is_retry(&self) -> bool {
        matches!(
            self.result,
            HandlerResult::Nack { requeue: true } | HandlerResult::NackAfter { .. }
        )
    }

    /// Whether the delivery is given up.
    #[must_use]
    pub const fn is_drop(&self) -> bool {
        matches!(self.result, HandlerResult::Nack { requeue: false })
    }

    /// The delay of a [`retry_after`](Self::retry_after); `None` for every other outcome.
    #[must_use]
    pub const fn retry_delay(&self) -> Option<Duration> {
        match self.result {
            HandlerResult::NackAfter { delay } => Some(delay),
            HandlerResult::Ack | HandlerResult::Nack { .. } => None,
        }
    }

    /// The verdict alone.
    #[doc(hidden)]
    #[must_use]
    pub const fn outcome(&self) -> HandlerResult {
        self.result
    }

    /// The verdict, and the work to spawn after it was settled.
    pub(crate) fn into_parts(self) -> (HandlerResult, Option<Continuation>) {
        (self.result, self.continuation)
    }
}

impl fmt::Debug for HandlerOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HandlerOutcome")
            .field("verdict", &self.result)
            .field("continuation", &self.continuation.is_some())
            .finish()
    }
}

impl From<HandlerResult> for HandlerOutcome {
    fn from(result: HandlerResult) -> Self {
        Self::bare(result)
    }
}

/// For extractors that never fail.
impl From<Infallible> for HandlerOutcome {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}

/// What a body over one message may return.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a handler cannot return `{Self}`: return `()` or a `HandlerOutcome`, or say `reply` to publish it",
    label = "this says nothing about what becomes of the delivery",
    note = "return `()`, `HandlerOutcome`, `Result<(), E>` or `Result<HandlerOutcome, E>`; a value to publish needs a `reply`"
)]
pub trait IntoOutcome {
    /// The outcome that the value stands for.
    fn into_outcome(self) -> HandlerOutcome;
}

impl IntoOutcome for HandlerOutcome {
    fn into_outcome(self) -> HandlerOutcome {
        self
    }
}

impl IntoOutcome for () {
    fn into_outcome(self) -> HandlerOutcome {
        HandlerOutcome::ack()
    }
}

impl<E> IntoOutcome for Result<(), E> {
    fn into_outcome(self) -> HandlerOutcome {
        match self {
            Ok(()) => HandlerOutcome::ack(),
            Err(_) => HandlerOutcome::drop(),
        }
    }
}

impl<E> IntoOutcome for Result<HandlerOutcome, E> {
    fn into_outcome(self) -> HandlerOutcome {
        self.unwrap_or_else(|_| HandlerOutcome::drop())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DELAY: Duration = Duration::from_secs(3);

    // RUN-280
    #[test]
    fn predicates_tell_the_four_outcomes_apart() {
        let told = |o: HandlerOutcome| (o.is_ack(), o.is_retry(), o.is_drop(), o.retry_delay());

        assert_eq!(told(HandlerOutcome::ack()), (true, false, false, None));
        assert_eq!(told(HandlerOutcome::retry()), (false, true, false, None));
        assert_eq!(
            told(HandlerOutcome::retry_after(DELAY)),
            (false, true, false, Some(DELAY))
        );
        assert_eq!(told(HandlerOutcome::drop()), (false, false, true, None));
    }

    // RUN-280
    #[test]
    fn constructors_and_predicates_are_const() {
        const DROPS: bool = {
            let outcome = HandlerOutcome::drop();
            let drops = outcome.is_drop() && !outcome.is_ack() && !outcome.is_retry();
            std::mem::forget(outcome);
            drops
        };
        const { assert!(DROPS) }
    }

    // RUN-280
    #[test]
    fn a_second_continuation_replaces_the_first() {
        let (notes, mut seen) = tokio::sync::mpsc::unbounded_channel();
        let note = |n: u8| {
            let notes = notes.clone();
            async move { notes.send(n).unwrap() }
        };

        let outcome = HandlerOutcome::ack().and_after(note(1)).and_after(note(2));
        let (_, work) = outcome.into_parts();
        futures_util::FutureExt::now_or_never(work.unwrap()).unwrap();

        assert_eq!(seen.try_recv(), Ok(2));
        assert!(seen.try_recv().is_err());
    }

    // RUN-280
    #[test]
    fn debug_shows_the_verdict_and_whether_work_is_attached() {
        assert_eq!(
            format!("{:?}", HandlerOutcome::drop().and_after(async {})),
            "HandlerOutcome { verdict: Nack { requeue: false }, continuation: true }"
        );
        assert!(format!("{:?}", HandlerOutcome::ack()).contains("continuation: false"));
    }

    // RUN-202
    #[test]
    fn return_shapes_without_a_reply_become_outcomes() {
        let becomes = |o: HandlerOutcome| o.outcome();

        assert_eq!(becomes(().into_outcome()), HandlerResult::Ack);
        assert_eq!(becomes(Ok::<(), u8>(()).into_outcome()), HandlerResult::Ack);
        assert_eq!(
            becomes(Err::<(), u8>(1).into_outcome()),
            HandlerResult::Nack { requeue: false }
        );
        assert_eq!(
            becomes(Ok::<_, u8>(HandlerOutcome::retry()).into_outcome()),
            HandlerResult::Nack { requeue: true }
        );
        assert_eq!(
            becomes(Err::<HandlerOutcome, u8>(1).into_outcome()),
            HandlerResult::Nack { requeue: false }
        );
        assert_eq!(
            becomes(HandlerOutcome::retry_after(DELAY).into_outcome()),
            HandlerResult::NackAfter { delay: DELAY }
        );
    }
}
