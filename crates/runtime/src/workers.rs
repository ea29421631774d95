//! How many deliveries of one subscription run at once, and where.

use std::num::NonZeroUsize;

/// Where the bodies of a subscription run.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Placement {
    /// On tasks of the runtime that runs the service.
    Runtime,
    /// On operating system threads of the subscription's own, each with a runtime of its own.
    Threads,
}

/// The concurrency of one subscription.
///
/// ```
/// use std::num::NonZeroUsize;
/// use ruststream_runtime::{Placement, Workers};
///
/// let lanes = Workers::keyed(const { NonZeroUsize::new(8).unwrap() });
/// assert_eq!((lanes.count().get(), lanes.by_key()), (8, true));
/// assert_eq!(lanes.placement(), Placement::Runtime);
/// assert_eq!(Workers::default(), Workers::sequential());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Workers {
    count: NonZeroUsize,
    by_key: bool,
    placement: Placement,
}

impl Workers {
    /// One delivery at a time, each settled before the next one is taken. The default.
    #[must_use]
    pub const fn sequential() -> Self {
        Self::pool(NonZeroUsize::MIN)
    }

    /// Up to `count` deliveries at once, started in stream order and completed in any.
    #[must_use]
    pub const fn pool(count: NonZeroUsize) -> Self {
        Self {
            count,
            by_key: false,
            placement: Placement::Runtime,
        }
    }

    /// `count` lanes; deliveries of one key share a lane and are handled in stream order.
    #[must_use]
    pub const fn keyed(count: NonZeroUsize) -> Self {
        Self {
            count,
            by_key: true,
            placement: Placement::Runtime,
        }
    }

    /// `count` dedicated threads, for bodies that compute for long between awaits.
    #[must_use]
    pub const fn threads(count: NonZeroUsize) -> Self {
        Self {
            count,
            by_key: false,
            placement: Placement::Threads,
        }
    }

    /// `count` dedicated threads; deliveries of one key share a thread and are handled in order.
    #[must_use]
    pub const fn threads_keyed(count: NonZeroUsize) -> Self {
        Self {
            count,
            by_key: true,
            placement: Placement::Threads,
        }
    }

    /// The number of workers, lanes or threads.
    #[must_use]
    pub const fn count(&self) -> NonZeroUsize {
        self.count
    }

    /// Whether deliveries of one key stay in order.
    #[must_use]
    pub const fn by_key(&self) -> bool {
        self.by_key
    }

    /// Where the bodies run.
    #[must_use]
    pub const fn placement(&self) -> Placement {
        self.placement
    }
}

impl Default for Workers {
    fn default() -> Self {
        Self::sequential()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const THREE: NonZeroUsize = NonZeroUsize::new(3).unwrap();

    // RUN-220
    #[test]
    fn each_form_reads_back_as_it_was_named() {
        let told = |w: Workers| (w.count().get(), w.by_key(), w.placement());

        assert_eq!(told(Workers::sequential()), (1, false, Placement::Runtime));
        assert_eq!(told(Workers::pool(THREE)), (3, false, Placement::Runtime));
        assert_eq!(told(Workers::keyed(THREE)), (3, true, Placement::Runtime));
        assert_eq!(
            told(Workers::threads(THREE)),
            (3, false, Placement::Threads)
        );
        assert_eq!(
            told(Workers::threads_keyed(THREE)),
            (3, true, Placement::Threads)
        );
    }

    // RUN-220
    #[test]
    fn sequential_is_the_default_in_const_contexts_too() {
        const DEFAULT: Workers = Workers::sequential();

        assert_eq!(Workers::default(), DEFAULT);
        assert_ne!(Workers::threads(NonZeroUsize::MIN), DEFAULT);
    }
}
