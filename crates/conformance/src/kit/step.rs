use std::error::Error;
use std::fmt::{self, Display};
use std::time::Duration;

use tokio::time::timeout;

/// One check of a suite. Its label starts the message of every failure.
#[derive(Debug)]
pub(crate) struct Check {
    label: String,
}

/// A step of a check: its name, and what the contract asks there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Step<'c> {
    label: &'c str,
    name: &'c str,
    asks: &'c str,
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
        }
    }
}

impl<'c> Step<'c> {
    /// The same step, asking something more particular.
    pub(crate) const fn asking(self, asks: &'c str) -> Self {
        Self { asks, ..self }
    }

    /// Fails the check, saying what came.
    #[track_caller]
    pub(crate) fn fail(&self, came: impl Display) -> ! {
        let Self { label, name, asks } = self;
        panic!("{label}: {name}: {came}; the contract asks that {asks}")
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
        answer.unwrap_or_else(|error| self.fail(format_args!("it failed with: {}", Chain(&error))))
    }
}

/// An error with its sources, on one line.
struct Chain<'e>(&'e dyn Error);

impl Display for Chain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)?;
        let mut cause = self.0.source();
        while let Some(error) = cause {
            write!(f, ": {error}")?;
            cause = error.source();
        }
        Ok(())
    }
}
