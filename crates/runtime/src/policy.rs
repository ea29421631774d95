//! What a registration does about its own failures.

use std::time::Duration;

use crate::outcome::HandlerResult;

/// What happens to a delivery whose body panicked, or that could not be decoded.
///
/// ```
/// use std::time::Duration;
/// use ruststream_runtime::{FailurePolicies, FailurePolicy};
///
/// let policies = FailurePolicies::default()
///     .with_panic(FailurePolicy::RetryAfter(Duration::from_secs(30)))
///     .with_decode(FailurePolicy::Skip);
/// assert_eq!(policies.decode, FailurePolicy::Skip);
/// ```
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailurePolicy {
    /// Stop the whole service and report why.
    ///
    /// A delivery that cannot be decoded is dropped with it; one whose body panicked stays
    /// unsettled, so that the broker decides whether it comes again.
    FailFast,
    /// Give the delivery up.
    Drop,
    /// Have the delivery again, as the registration's retry declaration says.
    Retry,
    /// Have the delivery again, no sooner than the delay.
    RetryAfter(Duration),
    /// Ack the delivery as if it had been handled.
    Skip,
}

impl FailurePolicy {
    /// The verdict that the policy settles with; `None` for [`FailFast`](Self::FailFast), whose
    /// settlement depends on what failed.
    pub(crate) const fn verdict(self) -> Option<HandlerResult> {
        match self {
            Self::FailFast => None,
            Self::Drop => Some(HandlerResult::Nack { requeue: false }),
            Self::Retry => Some(HandlerResult::Nack { requeue: true }),
            Self::RetryAfter(delay) => Some(HandlerResult::NackAfter { delay }),
            Self::Skip => Some(HandlerResult::Ack),
        }
    }
}

/// The failure policies of one registration.
///
/// By default a panic stops the service, and a delivery that cannot be decoded is dropped.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FailurePolicies {
    /// For a panic of the body, an extractor, a layer or a reply transform.
    pub panic: FailurePolicy,
    /// For a delivery from which the input cannot be made, its typed headers included.
    pub decode: FailurePolicy,
}

impl FailurePolicies {
    /// Replaces the policy for panics.
    #[must_use]
    pub fn with_panic(mut self, policy: FailurePolicy) -> Self {
        self.panic = policy;
        self
    }

    /// Replaces the policy for deliveries that cannot be decoded.
    #[must_use]
    pub fn with_decode(mut self, policy: FailurePolicy) -> Self {
        self.decode = policy;
        self
    }
}

impl Default for FailurePolicies {
    fn default() -> Self {
        Self {
            panic: FailurePolicy::FailFast,
            decode: FailurePolicy::Drop,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // RUN-301
    #[test]
    fn panics_fail_fast_and_decode_failures_drop_by_default() {
        let policies = FailurePolicies::default();

        assert_eq!(
            (policies.panic, policies.decode),
            (FailurePolicy::FailFast, FailurePolicy::Drop)
        );
    }

    // RUN-301
    #[test]
    fn naming_one_policy_leaves_the_other() {
        let policies = FailurePolicies::default().with_panic(FailurePolicy::Retry);
        assert_eq!(
            (policies.panic, policies.decode),
            (FailurePolicy::Retry, FailurePolicy::Drop)
        );

        let policies = FailurePolicies::default().with_decode(FailurePolicy::Skip);
        assert_eq!(
            (policies.panic, policies.decode),
            (FailurePolicy::FailFast, FailurePolicy::Skip)
        );
    }

    // RUN-300
    #[test]
    fn each_policy_settles_with_its_verdict() {
        let delay = Duration::from_secs(7);

        assert_eq!(FailurePolicy::FailFast.verdict(), None);
        assert_eq!(
            FailurePolicy::Drop.verdict(),
            Some(HandlerResult::Nack { requeue: false })
        );
        assert_eq!(
            FailurePolicy::Retry.verdict(),
            Some(HandlerResult::Nack { requeue: true })
        );
        assert_eq!(
            FailurePolicy::RetryAfter(delay).verdict(),
            Some(HandlerResult::NackAfter { delay })
        );
        assert_eq!(FailurePolicy::Skip.verdict(), Some(HandlerResult::Ack));
    }
}
