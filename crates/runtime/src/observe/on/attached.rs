use std::fmt;
use std::sync::Arc;

use ruststream_core::testing::Coordinator;
use tokio::sync::watch;

use super::broker::Scope;
use super::mounted::Opening;
use crate::observe::Observer;
use crate::tasks::Tasks;

/// Who observes an application.
#[derive(Clone, Default)]
pub(crate) struct Attached(pub(super) Option<Arc<Harnessed>>);

/// An application under a harness.
pub(super) struct Harnessed {
    pub(super) observer: Arc<dyn Observer>,
    /// Copies that wait out a delay, apart from the continuations that a test drains.
    pub(super) copies: Tasks,
    abandoned: watch::Sender<bool>,
    continuations: Tasks,
}

impl Attached {
    /// An application that `observer` sees.
    pub(crate) fn to(observer: Arc<dyn Observer>) -> Self {
        Self(Some(Arc::new(Harnessed {
            observer,
            copies: Tasks::default(),
            abandoned: watch::Sender::new(false),
            continuations: Tasks::default(),
        })))
    }

    /// RUN-241.
    pub(crate) fn threads_are_tasks(&self) -> bool {
        self.0.is_some()
    }

    /// Polls the opening of a registration.
    pub(crate) async fn opening<F: Future>(&self, scope: Scope, open: F) -> F::Output {
        match &self.0 {
            None => open.await,
            Some(harnessed) => Opening::new(harnessed, scope).around(open).await,
        }
    }

    /// Resolves once no copy waits out a delay any more.
    pub(crate) async fn idle(&self) {
        if let Some(harnessed) = &self.0 {
            harnessed.copies.wait().await;
        }
    }

    /// Ends the continuations and copies that a stop does not wait for any more, and waits until
    /// they are gone.
    pub(crate) async fn abandon(&self) {
        if let Some(harnessed) = &self.0 {
            harnessed.abandoned.send_replace(true);
            harnessed.copies.wait().await;
            harnessed.continuations.wait().await;
        }
    }
}

impl Harnessed {
    pub(super) fn coordinator(&self) -> &Coordinator {
        self.observer.coordinator()
    }

    /// Lets [`Attached::abandon`] end `work`.
    pub(super) fn abandonable<F>(&self, work: F) -> impl Future<Output = ()> + Send + use<F>
    where
        F: Future<Output = ()> + Send,
    {
        let mut abandoned = self.abandoned.subscribe();
        self.continuations.counted(async move {
            tokio::select! {
                biased;
                () = work => {}
                _ = abandoned.wait_for(|abandoned| *abandoned) => {}
            }
        })
    }
}

impl fmt::Debug for Attached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Attached")
            .field("harness", &self.0.is_some())
            .finish()
    }
}

impl fmt::Debug for Harnessed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Harnessed").finish_non_exhaustive()
    }
}
