//! What becomes of a delivery: one pure function from its verdict, what its registration declared
//! and what the delivery itself says, to one action.
//!
//! Doing it (publish, then settle, in the order of RUN-344) is elsewhere.

use std::num::NonZeroU32;
use std::time::Duration;

use ruststream_core::Settling;

use crate::outcome::HandlerResult;

/// Who brings a delivery back with a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Copies {
    /// This process: the registration owns a retry publisher.
    Here,
    /// Nobody in this process: the broker moves deliveries itself, or no publisher was paired.
    Nowhere,
}

/// What a registration declared about retries, as far as the decision depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RetryPlan {
    pub(crate) copies: Copies,
    /// The attempt that is the last one; the first delivery is attempt 1.
    pub(crate) max_attempts: Option<NonZeroU32>,
    pub(crate) dead_letter: bool,
}

/// Which attempt a delivery is, and who counted (RUN-340).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Attempt {
    number: u64,
    by_transport: bool,
}

impl Attempt {
    /// The transport's count alone where it has one; else one more than the copies that the
    /// delivery's header counts. `copies_made` is called in the latter case only.
    pub(crate) fn of(transport: Option<u64>, copies_made: impl FnOnce() -> u64) -> Self {
        match transport {
            Some(number) => Self {
                number,
                by_transport: true,
            },
            None => Self {
                number: copies_made().saturating_add(1),
                by_transport: false,
            },
        }
    }

    fn reaches(self, max_attempts: NonZeroU32) -> bool {
        self.number >= u64::from(max_attempts.get())
    }

    fn exceeds(self, max_attempts: NonZeroU32) -> bool {
        self.number > u64::from(max_attempts.get())
    }
}

/// What to do with a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    /// `ack`.
    Ack,
    /// `nack(false)`: the body gave the delivery up.
    Drop,
    /// `nack(true)`.
    Requeue {
        /// The body asked for a delay that nothing here can hold; worth a warning.
        delay_dropped: bool,
    },
    /// `nack_after`.
    NackAfter(Duration),
    /// A retry copy, at once or after the delay.
    Copy { delay: Option<Duration> },
    /// A dead letter, at once.
    DeadLetter {
        /// The attempt at which the cap was reached; `None` where every retry goes there and
        /// nothing is logged.
        exhausted: Option<u64>,
    },
    /// `nack(false)`: the cap was reached and no dead letter is declared.
    Reject { attempt: u64 },
}

impl Action {
    /// The settlement that the action comes to; `None` where something is sent or told before.
    #[inline]
    pub(crate) const fn settling(self) -> Option<Settling> {
        match self {
            Self::Ack => Some(Settling::Ack),
            Self::Drop => Some(Settling::Nack { requeue: false }),
            Self::Requeue {
                delay_dropped: false,
            } => Some(Settling::Nack { requeue: true }),
            Self::NackAfter(delay) => Some(Settling::NackAfter(delay)),
            Self::Requeue {
                delay_dropped: true,
            }
            | Self::Copy { .. }
            | Self::DeadLetter { .. }
            | Self::Reject { .. } => None,
        }
    }
}

/// How the declaration disposes of a delivery that is to come again.
enum Disposal {
    CarriedAway(Action),
    /// Only its header counts the attempts towards a declared cap, so a plain requeue, which
    /// leaves the header as it is, would never reach it.
    ComesAgain {
        counted_by_header: bool,
    },
}

/// The action for a delivery that was handled (RUN-341 to RUN-343, RUN-349).
///
/// `attempt` is asked only where a declared cap depends on it, so that nothing else makes a broker
/// build the header map (RUN-262). `holds_delays` is the delivery's `supports_nack_after`.
pub(crate) fn decide(
    verdict: HandlerResult,
    plan: RetryPlan,
    holds_delays: bool,
    attempt: impl FnOnce() -> Attempt,
) -> Action {
    match verdict {
        HandlerResult::Ack => Action::Ack,
        HandlerResult::Nack { requeue: false } => Action::Drop,
        HandlerResult::Nack { requeue: true } => retry(plan, attempt),
        HandlerResult::NackAfter { delay } if holds_delays => hold(delay, plan, attempt),
        HandlerResult::NackAfter { delay } => retry_after(delay, plan, attempt),
    }
}

/// The action for a delivery that had used up its attempts before it arrived (RUN-351); `None`
/// lets it run.
///
/// `attempt` is asked only where a cap is declared and this process applies it.
pub(crate) fn arrives_spent(plan: RetryPlan, attempt: impl FnOnce() -> Attempt) -> Option<Action> {
    let (Copies::Here, Some(max_attempts)) = (plan.copies, plan.max_attempts) else {
        return None;
    };
    let attempt = attempt();
    attempt
        .exceeds(max_attempts)
        .then(|| carried_away(plan, attempt))
}

/// RUN-341.
fn retry(plan: RetryPlan, attempt: impl FnOnce() -> Attempt) -> Action {
    let requeue = Action::Requeue {
        delay_dropped: false,
    };
    if plan.copies == Copies::Nowhere {
        return requeue;
    }
    match dispose(plan, attempt) {
        Disposal::CarriedAway(action) => action,
        Disposal::ComesAgain {
            counted_by_header: true,
        } => Action::Copy { delay: None },
        Disposal::ComesAgain {
            counted_by_header: false,
        } => requeue,
    }
}

/// RUN-342: only a reached cap keeps the transport's own delay from being used.
fn hold(delay: Duration, plan: RetryPlan, attempt: impl FnOnce() -> Attempt) -> Action {
    if plan.copies == Copies::Here
        && plan.max_attempts.is_some()
        && let Disposal::CarriedAway(action) = dispose(plan, attempt)
    {
        return action;
    }
    Action::NackAfter(delay)
}

/// RUN-343.
fn retry_after(delay: Duration, plan: RetryPlan, attempt: impl FnOnce() -> Attempt) -> Action {
    match (plan.copies, dispose(plan, attempt)) {
        (Copies::Here, Disposal::CarriedAway(action)) => action,
        // A delay of zero is an immediate copy, made before the next delivery is taken (RUN-333).
        (Copies::Here, Disposal::ComesAgain { .. }) => Action::Copy {
            delay: (!delay.is_zero()).then_some(delay),
        },
        (Copies::Nowhere, Disposal::CarriedAway(_)) => Action::Requeue {
            delay_dropped: false,
        },
        (Copies::Nowhere, Disposal::ComesAgain { .. }) => Action::Requeue {
            delay_dropped: true,
        },
    }
}

/// What the declaration alone says: away at the cap, away at once where only a dead letter is
/// declared, else it comes again.
fn dispose(plan: RetryPlan, attempt: impl FnOnce() -> Attempt) -> Disposal {
    match plan.max_attempts {
        Some(max_attempts) => {
            let attempt = attempt();
            if attempt.reaches(max_attempts) {
                Disposal::CarriedAway(carried_away(plan, attempt))
            } else {
                Disposal::ComesAgain {
                    counted_by_header: !attempt.by_transport,
                }
            }
        }
        None if plan.dead_letter => Disposal::CarriedAway(Action::DeadLetter { exhausted: None }),
        None => Disposal::ComesAgain {
            counted_by_header: false,
        },
    }
}

fn carried_away(plan: RetryPlan, attempt: Attempt) -> Action {
    if plan.dead_letter {
        Action::DeadLetter {
            exhausted: Some(attempt.number),
        }
    } else {
        Action::Reject {
            attempt: attempt.number,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const D: Duration = Duration::from_secs(5);
    const ACK: HandlerResult = HandlerResult::Ack;
    const DROP: HandlerResult = HandlerResult::Nack { requeue: false };
    const RETRY: HandlerResult = HandlerResult::Nack { requeue: true };
    const RETRY_AFTER: HandlerResult = HandlerResult::NackAfter { delay: D };

    const REQUEUE: Action = Action::Requeue {
        delay_dropped: false,
    };
    const REQUEUE_NOW: Action = Action::Requeue {
        delay_dropped: true,
    };
    const COPY: Action = Action::Copy { delay: None };
    const COPY_LATER: Action = Action::Copy { delay: Some(D) };
    const DEAD: Action = Action::DeadLetter { exhausted: None };
    const HOLD: Action = Action::NackAfter(D);

    const fn dead_at(attempt: u64) -> Action {
        Action::DeadLetter {
            exhausted: Some(attempt),
        }
    }

    const fn reject_at(attempt: u64) -> Action {
        Action::Reject { attempt }
    }

    fn plan(copies: Copies, cap: u32, dead_letter: bool) -> RetryPlan {
        RetryPlan {
            copies,
            max_attempts: NonZeroU32::new(cap),
            dead_letter,
        }
    }

    /// What a delivery says of its count: the transport's, or the header's.
    #[derive(Debug, Clone, Copy)]
    enum Counts {
        Transport(u64),
        Header(u64),
    }
    use Counts::{Header, Transport};

    impl Counts {
        fn attempt(self) -> Attempt {
            match self {
                // The header of a counted delivery is ignored (trap 7): it says 7 and is not read.
                Transport(n) => Attempt::of(Some(n), || panic!("the header was read")),
                Header(copies) => Attempt::of(None, || copies),
            }
        }
    }

    /// One row: copies, cap (0: none), dead letter, count, action.
    type Row = (Copies, u32, bool, Counts, Action);

    fn check(verdict: HandlerResult, holds_delays: bool, rows: &[Row]) {
        for &(copies, cap, dead_letter, counts, expected) in rows {
            let plan = plan(copies, cap, dead_letter);
            let action = decide(verdict, plan, holds_delays, || counts.attempt());
            assert_eq!(
                action, expected,
                "{verdict:?} {plan:?} {counts:?} holds: {holds_delays}"
            );
        }
    }

    const HERE: Copies = Copies::Here;
    const NOWHERE: Copies = Copies::Nowhere;

    // RUN-340
    #[test]
    fn the_attempt_is_the_transports_count_or_one_more_than_the_headers() {
        assert_eq!(
            Transport(1).attempt(),
            Attempt {
                number: 1,
                by_transport: true
            }
        );
        assert_eq!(
            Header(0).attempt(),
            Attempt {
                number: 1,
                by_transport: false
            }
        );
        assert_eq!(
            Header(2).attempt(),
            Attempt {
                number: 3,
                by_transport: false
            }
        );
        assert_eq!(Header(u64::MAX).attempt().number, u64::MAX);
    }

    // RUN-341
    #[test]
    fn retry_follows_its_table() {
        for holds_delays in [false, true] {
            check(
                RETRY,
                holds_delays,
                &[
                    // nothing declared
                    (HERE, 0, false, Header(0), REQUEUE),
                    (HERE, 0, false, Header(9), REQUEUE),
                    (HERE, 0, false, Transport(9), REQUEUE),
                    // no copy path: neither cap nor dead letter is applied here
                    (NOWHERE, 0, false, Header(0), REQUEUE),
                    (NOWHERE, 0, true, Header(0), REQUEUE),
                    (NOWHERE, 3, false, Header(9), REQUEUE),
                    (NOWHERE, 3, true, Header(9), REQUEUE),
                    (NOWHERE, 3, true, Transport(9), REQUEUE),
                    // cap declared, below it
                    (HERE, 3, false, Transport(2), REQUEUE),
                    (HERE, 3, true, Transport(2), REQUEUE),
                    (HERE, 3, false, Header(1), COPY),
                    (HERE, 3, true, Header(1), COPY),
                    // cap reached, and beyond
                    (HERE, 3, true, Transport(3), dead_at(3)),
                    (HERE, 3, true, Header(2), dead_at(3)),
                    (HERE, 3, true, Transport(8), dead_at(8)),
                    (HERE, 3, false, Transport(3), reject_at(3)),
                    (HERE, 3, false, Header(2), reject_at(3)),
                    (HERE, 3, false, Header(7), reject_at(8)),
                    (HERE, 1, true, Header(0), dead_at(1)),
                    (HERE, 1, false, Transport(1), reject_at(1)),
                    // no cap, dead letter declared
                    (HERE, 0, true, Header(0), DEAD),
                    (HERE, 0, true, Transport(9), DEAD),
                ],
            );
        }
    }

    // RUN-342
    #[test]
    fn retry_after_on_a_transport_that_holds_delays_follows_its_table() {
        check(
            RETRY_AFTER,
            true,
            &[
                // cap declared and reached
                (HERE, 3, true, Transport(3), dead_at(3)),
                (HERE, 3, true, Header(2), dead_at(3)),
                (HERE, 3, true, Header(7), dead_at(8)),
                (HERE, 3, false, Transport(3), reject_at(3)),
                (HERE, 3, false, Header(2), reject_at(3)),
                // everything else
                (HERE, 3, true, Transport(2), HOLD),
                (HERE, 3, false, Header(1), HOLD),
                (HERE, 0, false, Header(0), HOLD),
                (HERE, 0, false, Transport(9), HOLD),
                (HERE, 0, true, Header(0), HOLD),
                (HERE, 0, true, Transport(9), HOLD),
                (NOWHERE, 0, false, Header(0), HOLD),
                (NOWHERE, 0, true, Header(0), HOLD),
                (NOWHERE, 3, false, Transport(9), HOLD),
                (NOWHERE, 3, true, Header(9), HOLD),
            ],
        );
    }

    // RUN-343
    #[test]
    fn retry_after_on_any_other_transport_follows_its_table() {
        check(
            RETRY_AFTER,
            false,
            &[
                // no copy path; the delay is missed where the declaration would bring it back
                (NOWHERE, 0, false, Header(0), REQUEUE_NOW),
                (NOWHERE, 3, false, Header(1), REQUEUE_NOW),
                (NOWHERE, 3, true, Transport(2), REQUEUE_NOW),
                (NOWHERE, 3, true, Transport(3), REQUEUE),
                (NOWHERE, 3, false, Header(2), REQUEUE),
                (NOWHERE, 0, true, Header(0), REQUEUE),
                // below the cap or nothing declared
                (HERE, 0, false, Header(0), COPY_LATER),
                (HERE, 0, false, Transport(9), COPY_LATER),
                (HERE, 3, false, Header(1), COPY_LATER),
                (HERE, 3, true, Header(0), COPY_LATER),
                (HERE, 3, true, Transport(2), COPY_LATER),
                // cap reached
                (HERE, 3, true, Header(2), dead_at(3)),
                (HERE, 3, true, Transport(4), dead_at(4)),
                (HERE, 3, false, Header(2), reject_at(3)),
                (HERE, 3, false, Transport(3), reject_at(3)),
                // no cap, dead letter declared
                (HERE, 0, true, Header(0), DEAD),
                (HERE, 0, true, Transport(9), DEAD),
            ],
        );
    }

    // RUN-333, trap 8
    #[test]
    fn a_delay_of_zero_is_an_immediate_copy_and_a_native_delay_all_the_same() {
        let now = HandlerResult::NackAfter {
            delay: Duration::ZERO,
        };

        check(
            now,
            false,
            &[
                (HERE, 0, false, Header(0), COPY),
                (HERE, 3, true, Header(1), COPY),
            ],
        );
        check(
            now,
            true,
            &[(HERE, 0, false, Header(0), Action::NackAfter(Duration::ZERO))],
        );
    }

    // RUN-349
    #[test]
    fn ack_and_drop_never_take_the_copy_path() {
        for copies in [HERE, NOWHERE] {
            for cap in [0, 1] {
                for dead_letter in [false, true] {
                    for holds_delays in [false, true] {
                        for counts in [Header(5), Transport(5)] {
                            let row = |action| [(copies, cap, dead_letter, counts, action)];
                            check(ACK, holds_delays, &row(Action::Ack));
                            check(DROP, holds_delays, &row(Action::Drop));
                        }
                    }
                }
            }
        }
    }

    // RUN-262, RUN-340
    #[test]
    fn the_attempt_is_asked_only_where_a_declared_cap_depends_on_it() {
        let asks = |verdict, plan, holds_delays| {
            let mut asked = false;
            decide(verdict, plan, holds_delays, || {
                asked = true;
                Header(0).attempt()
            });
            asked
        };

        for dead_letter in [false, true] {
            for holds_delays in [false, true] {
                for verdict in [ACK, DROP, RETRY, RETRY_AFTER] {
                    assert!(!asks(verdict, plan(HERE, 0, dead_letter), holds_delays));
                    assert!(!asks(verdict, plan(NOWHERE, 0, dead_letter), holds_delays));
                }
                assert!(!asks(ACK, plan(HERE, 3, dead_letter), holds_delays));
                assert!(!asks(DROP, plan(HERE, 3, dead_letter), holds_delays));
                assert!(!asks(RETRY, plan(NOWHERE, 3, dead_letter), holds_delays));
                assert!(asks(RETRY, plan(HERE, 3, dead_letter), holds_delays));
                assert!(asks(RETRY_AFTER, plan(HERE, 3, dead_letter), holds_delays));
            }
        }
    }

    // RUN-351, trap 52
    #[test]
    fn a_delivery_past_its_cap_is_carried_away_on_arrival_and_one_at_it_runs() {
        let arrives = |plan, counts: Counts| arrives_spent(plan, || counts.attempt());

        assert_eq!(arrives(plan(HERE, 2, true), Transport(3)), Some(dead_at(3)));
        assert_eq!(arrives(plan(HERE, 2, true), Header(2)), Some(dead_at(3)));
        assert_eq!(
            arrives(plan(HERE, 2, false), Transport(3)),
            Some(reject_at(3))
        );
        assert_eq!(arrives(plan(HERE, 2, false), Header(6)), Some(reject_at(7)));
        assert_eq!(arrives(plan(HERE, 2, true), Transport(2)), None);
        assert_eq!(arrives(plan(HERE, 2, false), Header(1)), None);
        assert_eq!(arrives(plan(HERE, 2, true), Transport(1)), None);
    }

    // RUN-351, RUN-352, trap 4
    #[test]
    fn without_a_cap_applied_here_an_arrival_is_asked_nothing() {
        for plan in [
            plan(HERE, 0, false),
            plan(HERE, 0, true),
            plan(NOWHERE, 0, true),
            plan(NOWHERE, 2, false),
            plan(NOWHERE, 2, true),
        ] {
            assert_eq!(
                arrives_spent(plan, || panic!("{plan:?} asked for the attempt")),
                None
            );
        }
    }
}
