//! How much a retaining broker keeps.

use std::num::NonZeroUsize;

/// How much of each name's history a [`MemoryBroker`](crate::MemoryBroker) built with
/// [`retaining`](crate::MemoryBroker::retaining) keeps.
///
/// The bound holds per name; the whole log is at most the bound times the number of distinct names
/// ever published to. The oldest messages go first, when a publish pushes them out. The newest
/// message of a name always stays, even if it alone is wider than a bound in bytes.
///
/// ```
/// use ruststream_core::nonzero;
/// use ruststream_memory::{MemoryBroker, Retention};
///
/// let last_hour_or_so = Retention::MessagesAndBytes {
///     messages: nonzero!(10_000),
///     bytes: nonzero!(4 * 1024 * 1024),
/// };
/// let broker = MemoryBroker::retaining(last_hour_or_so);
/// # drop(broker);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Retention {
    /// At most this many messages.
    Messages(NonZeroUsize),
    /// At most this many bytes of payload; names and headers do not count.
    Bytes(NonZeroUsize),
    /// Within both bounds; the one that is reached first evicts.
    MessagesAndBytes {
        /// At most this many messages.
        messages: NonZeroUsize,
        /// At most this many bytes of payload.
        bytes: NonZeroUsize,
    },
}

/// What a bus records of a publish.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Keep {
    Nothing,
    Within(Retention),
}

impl Keep {
    pub(crate) const fn records(self) -> bool {
        !matches!(self, Self::Nothing)
    }

    /// Whether a log of this size may stay as it is.
    pub(crate) fn covers(self, messages: usize, bytes: usize) -> bool {
        match self {
            Self::Nothing => false,
            Self::Within(Retention::Messages(most)) => messages <= most.get(),
            Self::Within(Retention::Bytes(most)) => bytes <= most.get(),
            Self::Within(Retention::MessagesAndBytes {
                messages: most_messages,
                bytes: most_bytes,
            }) => messages <= most_messages.get() && bytes <= most_bytes.get(),
        }
    }
}
