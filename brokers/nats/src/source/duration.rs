use std::num::NonZeroU64;
use std::time::Duration;

/// A duration that is not zero, for settings where zero would mean "the server's default".
///
/// ```
/// use std::time::Duration;
/// use ruststream::nonzero;
/// use ruststream_nats::NonZeroDuration;
///
/// const WINDOW: NonZeroDuration = NonZeroDuration::from_secs(nonzero!(60));
/// assert_eq!(WINDOW.get(), Duration::from_secs(60));
/// assert_eq!(NonZeroDuration::new(Duration::ZERO), None);
/// ```
///
/// ```compile_fail,E0080
/// use ruststream::nonzero;
/// use ruststream_nats::NonZeroDuration;
///
/// let window = NonZeroDuration::from_millis(nonzero!(0));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[must_use]
pub struct NonZeroDuration(Duration);

impl NonZeroDuration {
    /// `None` for zero.
    #[must_use]
    pub const fn new(value: Duration) -> Option<Self> {
        if value.is_zero() {
            None
        } else {
            Some(Self(value))
        }
    }

    /// So many seconds.
    pub const fn from_secs(secs: NonZeroU64) -> Self {
        Self(Duration::from_secs(secs.get()))
    }

    /// So many milliseconds.
    pub const fn from_millis(millis: NonZeroU64) -> Self {
        Self(Duration::from_millis(millis.get()))
    }

    /// The duration.
    #[must_use]
    pub const fn get(self) -> Duration {
        self.0
    }
}

impl From<NonZeroDuration> for Duration {
    fn from(duration: NonZeroDuration) -> Self {
        duration.get()
    }
}
