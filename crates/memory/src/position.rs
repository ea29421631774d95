//! Places in the log of a name.

/// Where in the log of its name a subscription goes on, or where a delivery stands.
///
/// Positions are absolute: the n-th message ever published to a name has position n, counted from
/// zero, as long as the bus lives and whatever was evicted meanwhile.
///
/// ```
/// use ruststream_memory::MemoryPosition;
///
/// assert!(MemoryPosition::sequence(7) < MemoryPosition::sequence(8));
/// assert!(MemoryPosition::start() < MemoryPosition::end());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[must_use]
pub enum MemoryPosition {
    /// The oldest message retained.
    Start,
    /// The message of this number; past the newest one, the next publish.
    Sequence(usize),
    /// After the newest message: the next publish.
    End,
}

impl MemoryPosition {
    /// The oldest message retained.
    pub const fn start() -> Self {
        Self::Start
    }

    /// The message of number `n`, counted from zero.
    pub const fn sequence(n: usize) -> Self {
        Self::Sequence(n)
    }

    /// After the newest message.
    pub const fn end() -> Self {
        Self::End
    }
}
