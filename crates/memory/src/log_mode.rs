//! Whether a broker keeps a log, as a type.

/// Whether a [`MemoryBroker`](crate::MemoryBroker) keeps what was published: [`Discarding`] or
/// [`Retaining`].
///
/// Sealed: these two are all there are. Replay is offered by the types of a retaining broker alone,
/// so asking a discarding one for it does not compile:
///
/// ```compile_fail,E0599
/// use ruststream_core::Seekable;
/// use ruststream_memory::MemoryBroker;
///
/// let seeker = MemoryBroker::new().subscribe("parcels").seeker();
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a log mode of the in-memory broker: write `Discarding` or `Retaining`",
    label = "expected `Discarding` or `Retaining`",
    note = "`MemoryBroker::new()` discards, `MemoryBroker::retaining(..)` retains"
)]
pub trait LogMode: sealed::Sealed + Send + Sync + 'static {}

/// Keeps nothing: a message lives until the last subscription has consumed it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Discarding;

/// Keeps the newest messages of every name, to be replayed by position.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Retaining;

impl LogMode for Discarding {}
impl LogMode for Retaining {}

pub(crate) mod sealed {
    pub trait Sealed {
        /// Whether a subscription can be repositioned.
        const REPLAYS: bool;
    }

    impl Sealed for super::Discarding {
        const REPLAYS: bool = false;
    }

    impl Sealed for super::Retaining {
        const REPLAYS: bool = true;
    }
}
