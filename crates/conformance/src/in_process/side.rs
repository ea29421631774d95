use std::fmt;
use std::time::Duration;

use crate::kit::{Check, Limits};

/// Every call of a broker.
pub(super) const CALL: Duration = Duration::from_secs(10);
pub(super) const LIMITS: Limits = Limits::of(CALL);

/// Where a check is played.
#[derive(Debug, Clone, Copy)]
pub(super) enum Side {
    Server,
    InProcess,
}

impl Side {
    /// The check of one side: its failures say which.
    pub(super) fn check(self, label: &str) -> Check {
        Check::new(format!("{label} {self}"))
    }

    pub(super) const fn delivery(self) -> Duration {
        match self {
            Self::Server => Duration::from_secs(30),
            Self::InProcess => Duration::from_secs(2),
        }
    }

    pub(super) const fn quiet(self) -> Duration {
        match self {
            Self::Server => Duration::from_millis(500),
            Self::InProcess => Duration::from_millis(100),
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Server => "against the server",
            Self::InProcess => "in process",
        })
    }
}
