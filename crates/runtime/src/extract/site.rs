//! What all deliveries of one subscription share.

use std::sync::Arc;

use super::batch_size::BatchSize;
use super::main_runtime::MainRuntime;
use crate::observe::Mounted;
use crate::policy::FailurePolicies;

/// One subscription, as the contexts of its deliveries see it.
#[derive(Debug)]
pub(crate) struct Site<S> {
    pub(crate) about: About,
    pub(crate) state: Arc<S>,
}

/// The part of a [`Site`] that has no type of the app in it.
#[derive(Debug)]
pub(crate) struct About {
    pub(crate) name: Arc<str>,
    pub(crate) main_runtime: MainRuntime,
    pub(crate) policies: FailurePolicies,
    pub(crate) observed: Mounted,
    pub(crate) batch_size: BatchSize,
}

impl<S> Site<S> {
    /// Made while the registration is opened.
    pub(crate) fn new(
        name: Arc<str>,
        state: Arc<S>,
        main_runtime: MainRuntime,
        policies: FailurePolicies,
    ) -> Self {
        Self {
            about: About {
                observed: Mounted::here(&name),
                name,
                main_runtime,
                policies,
                batch_size: BatchSize::default(),
            },
            state,
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.about.name
    }
}

/// A subscription and a delivery to make contexts of.
#[cfg(test)]
pub(crate) mod fixture {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use ruststream_core::{AckError, HeaderMap, IncomingMessage};
    use tokio::runtime::Handle;

    use super::*;

    /// The subscription `parcels` of an app with that state, on the current runtime.
    pub(crate) fn parcels<S>(state: S) -> Site<S> {
        let main_runtime = MainRuntime::new(Handle::current());
        Site::new(
            "parcels".into(),
            Arc::new(state),
            main_runtime,
            FailurePolicies::default(),
        )
    }

    /// A delivery that counts how often it is asked for its headers.
    #[derive(Default)]
    pub(crate) struct Delivery {
        headers: HeaderMap,
        asked: AtomicUsize,
    }

    impl Delivery {
        pub(crate) fn with<const N: usize>(headers: [(&'static str, &'static str); N]) -> Self {
            Self {
                headers: HeaderMap::from_iter(headers),
                ..Self::default()
            }
        }

        pub(crate) fn asked(&self) -> usize {
            self.asked.load(Ordering::Relaxed)
        }
    }

    impl IncomingMessage for Delivery {
        fn payload(&self) -> &[u8] {
            &[]
        }

        fn headers(&self) -> &HeaderMap {
            self.asked.fetch_add(1, Ordering::Relaxed);
            &self.headers
        }

        async fn ack(self) -> Result<(), AckError> {
            Ok(())
        }

        async fn nack(self, _: bool) -> Result<(), AckError> {
            Ok(())
        }
    }
}
