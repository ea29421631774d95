//! Work that a body registered for after its delivery is settled.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use crate::outcome::{Continuation, HandlerResult};

/// Which verdicts a hook waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HookKind {
    /// The delivery is done.
    Ack,
    /// The delivery is given up.
    Drop,
    /// The delivery comes again at once.
    Retry,
    /// The delivery comes again after a delay, whatever the delay.
    RetryAfter,
    /// Every verdict.
    Settle,
}

impl HookKind {
    /// The kind of a verdict.
    pub(crate) const fn of(result: HandlerResult) -> Self {
        match result {
            HandlerResult::Ack => Self::Ack,
            HandlerResult::Nack { requeue: false } => Self::Drop,
            HandlerResult::Nack { requeue: true } => Self::Retry,
            HandlerResult::NackAfter { .. } => Self::RetryAfter,
        }
    }

    fn fires_on(self, settled: Self) -> bool {
        matches!(self, Self::Settle) || self == settled
    }
}

struct Hook {
    kind: HookKind,
    work: Continuation,
}

/// The hooks of one delivery, in the order of their registration.
///
/// Nothing is allocated until the first one. The mutex is never locked on the dispatch path: it
/// makes a context `Sync` although futures are not.
#[derive(Default)]
pub(crate) struct Hooks(Mutex<Vec<Hook>>);

impl Hooks {
    pub(crate) fn register(&mut self, kind: HookKind, work: Continuation) {
        self.0
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner)
            .push(Hook { kind, work });
    }

    pub(crate) fn len(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    fn fired_by(self, settled: HookKind) -> impl Iterator<Item = Continuation> {
        let hooks = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        hooks
            .into_iter()
            .filter(move |hook| hook.kind.fires_on(settled))
            .map(|hook| hook.work)
    }
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hooks")
            .field("registered", &self.len())
            .finish()
    }
}

/// What to spawn after one delivery was settled, in this order: the outcome's own continuation,
/// then the hooks that wait for its verdict (RUN-260 step 11).
pub(crate) fn after_delivery(
    settled: HandlerResult,
    and_after: Option<Continuation>,
    hooks: Hooks,
) -> impl Iterator<Item = Continuation> {
    and_after
        .into_iter()
        .chain(hooks.fired_by(HookKind::of(settled)))
}

/// What to spawn after the last element of a batch was settled: a batch has no verdict of its own,
/// so only the hooks that wait for every verdict fire (RUN-293).
pub(crate) fn after_batch(hooks: Hooks) -> impl Iterator<Item = Continuation> {
    hooks.fired_by(HookKind::Settle)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use futures_util::FutureExt;

    use super::*;
    use crate::outcome::HandlerOutcome;

    type Ran = Arc<Mutex<Vec<&'static str>>>;

    fn note(ran: &Ran, name: &'static str) -> Continuation {
        let ran = Arc::clone(ran);
        Box::pin(async move { ran.lock().unwrap().push(name) })
    }

    fn every_kind(ran: &Ran) -> Hooks {
        let mut hooks = Hooks::default();
        hooks.register(HookKind::Settle, note(ran, "settle"));
        hooks.register(HookKind::Ack, note(ran, "ack"));
        hooks.register(HookKind::Drop, note(ran, "drop"));
        hooks.register(HookKind::Retry, note(ran, "retry"));
        hooks.register(HookKind::RetryAfter, note(ran, "retry_after"));
        hooks.register(HookKind::Settle, note(ran, "settle again"));
        hooks
    }

    fn run(ran: &Ran, works: impl Iterator<Item = Continuation>) -> Vec<&'static str> {
        works.for_each(|work| work.now_or_never().unwrap());
        std::mem::take(&mut ran.lock().unwrap())
    }

    // RUN-290
    #[test]
    fn hooks_fire_on_their_kind_of_verdict_in_order_of_registration() {
        let ran = Ran::default();
        let fired = |outcome: HandlerOutcome| {
            run(
                &ran,
                after_delivery(outcome.outcome(), None, every_kind(&ran)),
            )
        };

        assert_eq!(
            fired(HandlerOutcome::ack()),
            ["settle", "ack", "settle again"]
        );
        assert_eq!(
            fired(HandlerOutcome::drop()),
            ["settle", "drop", "settle again"]
        );
        assert_eq!(
            fired(HandlerOutcome::retry()),
            ["settle", "retry", "settle again"]
        );
        for delay in [Duration::ZERO, Duration::from_secs(59)] {
            let held = fired(HandlerOutcome::retry_after(delay));
            assert_eq!(held, ["settle", "retry_after", "settle again"]);
        }
    }

    // RUN-290, RUN-260 step 11
    #[test]
    fn the_continuation_of_the_outcome_comes_before_the_hooks() {
        let ran = Ran::default();
        let works = after_delivery(
            HandlerResult::Ack,
            Some(note(&ran, "and_after")),
            every_kind(&ran),
        );

        assert_eq!(
            run(&ran, works),
            ["and_after", "settle", "ack", "settle again"]
        );
    }

    // RUN-293
    #[test]
    fn only_hooks_on_every_verdict_fire_for_a_batch() {
        let ran = Ran::default();

        assert_eq!(
            run(&ran, after_batch(every_kind(&ran))),
            ["settle", "settle again"]
        );
    }
}
