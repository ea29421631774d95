//! How long the bodies of a service compute between two awaits (RUN-470 to RUN-473).
//!
//! With the feature `poll-diagnostics` off a [`Sampler`] is nothing, and watching a body is the body.

#[cfg(feature = "poll-diagnostics")]
mod diagnostics;
#[cfg(feature = "poll-diagnostics")]
mod sampler;
#[cfg(feature = "poll-diagnostics")]
mod stats;

#[cfg(feature = "poll-diagnostics")]
pub use diagnostics::{PollDiagnostics, PollReport};
#[cfg(feature = "poll-diagnostics")]
pub(crate) use sampler::Sampler;
#[cfg(feature = "poll-diagnostics")]
pub use stats::{BUCKET_BOUNDS_NS, PollStats};

/// Nothing is sampled.
#[cfg(not(feature = "poll-diagnostics"))]
#[derive(Debug, Clone)]
pub(crate) struct Sampler;

#[cfg(not(feature = "poll-diagnostics"))]
#[allow(clippy::unused_self)]
impl Sampler {
    /// A sampler of `subscription`, whose bodies run as `workers` says.
    pub(crate) fn open(
        _service: &crate::app::Service,
        _subscription: &str,
        _workers: crate::workers::Workers,
    ) -> Self {
        Self
    }

    /// The sampler of one worker.
    pub(crate) fn on(&self, _placement: crate::workers::Placement) -> Self {
        Self
    }

    /// The body, watched.
    #[inline]
    pub(crate) fn watch<F: Future>(&self, body: F) -> F {
        body
    }
}
