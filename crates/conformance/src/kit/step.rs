use std::error::Error;
use std::fmt::Display;
use std::time::Duration;

use tokio::time::timeout;

use super::Causes;

/// One check of a suite. Its label starts the message of every failure.
#[derive(Debug)]
pub(crate) struct Check {
    label: String,
}

/// A step of a check: its name, what the contract asks there, and how an author mends it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Step<'c> {
    label: &'c str,
    name: &'c str,
    asks: &'c str,
    advice: Option<&'c str>,
}

impl Check {
    pub(crate) fn new(label: impl Into<String>) -> Self {
        Self {
            label: label.into(),
        }
    }

    pub(crate) const fn step<'c>(&'c self, name: &'c str, asks: &'c str) -> Step<'c> {
        Step {
            label: self.label.as_str(),
            name,
            asks,
            advice: None,
        }
    }
}

impl<'c> Step<'c> {
    /// The same step, asking something more particular.
    pub(crate) const fn asking(self, asks: &'c str) -> Self {
        Self { asks, ..self }
    }

    /// The same step; a failure also says what to do about it.
    pub(crate) const fn advising(self, advice: &'c str) -> Self {
        Self {
            advice: Some(advice),
            ..self
        }
    }

    /// Fails the check, saying what came.
    #[track_caller]
    pub(crate) fn fail(&self, came: impl Display) -> ! {
        let Self {
            label, name, asks, ..
        } = self;
        match self.advice {
            None => panic!("{label}: {name}: {came}; the contract asks that {asks}"),
            Some(advice) => panic!(
                "{label}: {name}: {came}; the contract asks that {asks}; what to do: {advice}"
            ),
        }
    }

    /// Fails the check unless `held`.
    #[track_caller]
    pub(crate) fn require(&self, held: bool, came: impl Display) {
        if !held {
            self.fail(came);
        }
    }

    /// Waits for `what`, which must answer within `limit`.
    pub(crate) async fn within<T>(&self, limit: Duration, what: impl Future<Output = T>) -> T {
        match timeout(limit, what).await {
            Ok(answer) => answer,
            Err(_) => self.fail(format_args!("no answer within {limit:?}")),
        }
    }

    /// Waits for `what`, which must succeed within `limit`.
    pub(crate) async fn done<T, E: Error>(
        &self,
        limit: Duration,
        what: impl Future<Output = Result<T, E>>,
    ) -> T {
        let answer = self.within(limit, what).await;
        self.accepted(answer)
    }

    /// Waits for `what`, which must fail within `limit`.
    pub(crate) async fn refused<T, E: Error>(
        &self,
        limit: Duration,
        what: impl Future<Output = Result<T, E>>,
    ) {
        if self.within(limit, what).await.is_ok() {
            self.fail("it succeeded");
        }
    }

    /// The value of an answer that must be a success.
    #[track_caller]
    pub(crate) fn accepted<T, E: Error>(&self, answer: Result<T, E>) -> T {
        answer.unwrap_or_else(|error| self.fail(format_args!("it failed with: {}", Causes(&error))))
    }
}
