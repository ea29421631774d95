/// What a transport answered to each settlement, as [`suite`](super::suite) found it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Answers {
    /// To `ack`.
    pub ack: Answer,
    /// To `nack(false)`.
    pub reject: Answer,
    /// To `nack(true)`.
    pub requeue: Answer,
    /// Whether a delivery offers `nack_after`.
    pub delay: bool,
}

/// What a transport answered to one settlement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Answer {
    /// `Ok`, and it held.
    Settled,
    /// `AckError::Unsupported`.
    Unsupported,
}

impl Answer {
    pub(super) const fn of(settled: bool) -> Self {
        if settled {
            Self::Settled
        } else {
            Self::Unsupported
        }
    }
}

/// How a broker puts a delivery off, for [`delay_is_whole`](super::delay_is_whole).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Delay {
    /// It hands out the same message again: where it counts, the count goes on.
    Redelivered,
    /// It publishes a copy of its own: where it counts, the copy begins at one again; where not, it
    /// raises the header `x-ruststream-retry-count`.
    Copied,
}
