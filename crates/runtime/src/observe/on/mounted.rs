use std::cell::RefCell;
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use ruststream_core::AckError;
use ruststream_core::testing::Hold;
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep_until};

use super::attached::Harnessed;
use super::broker::Scope;
use super::span::Span;
use super::within::{in_force, within};
use crate::observe::Returned;
use crate::outcome::HandlerResult;
use crate::tasks::Tasks;

thread_local! {
    static OPENING: RefCell<Option<Arc<Opening>>> = const { RefCell::new(None) };
}

/// A registration that is being opened.
pub(super) struct Opening {
    harnessed: Arc<Harnessed>,
    scope: Scope,
    mount: OnceLock<usize>,
}

impl Opening {
    pub(super) fn new(harnessed: &Arc<Harnessed>, scope: Scope) -> Arc<Self> {
        Arc::new(Self {
            harnessed: Arc::clone(harnessed),
            scope,
            mount: OnceLock::new(),
        })
    }

    pub(super) async fn around<F: Future>(self: Arc<Self>, open: F) -> F::Output {
        within(&OPENING, self, open).await
    }

    /// The one that is being polled here.
    pub(super) fn current() -> Option<Arc<Self>> {
        in_force(&OPENING)
    }

    pub(super) fn harnessed(&self) -> &Arc<Harnessed> {
        &self.harnessed
    }

    pub(super) const fn scope(&self) -> usize {
        self.scope.0
    }
}

/// One subscription.
#[derive(Clone)]
pub(crate) struct Mounted(Option<Arc<At>>);

pub(super) struct At {
    pub(super) harnessed: Arc<Harnessed>,
    pub(super) mount: usize,
}

impl Mounted {
    /// The subscription that is being opened, which goes by `name`.
    pub(crate) fn here(name: &str) -> Self {
        Self(Opening::current().map(|opening| {
            let observer = &opening.harnessed.observer;
            let mounted = || observer.mounted(opening.scope.0, name);
            Arc::new(At {
                harnessed: Arc::clone(&opening.harnessed),
                mount: *opening.mount.get_or_init(mounted),
            })
        }))
    }

    /// A dispatch begins.
    #[inline]
    pub(crate) fn begin(&self) -> Span {
        Span::new(self.0.as_ref())
    }

    /// Notes what a settlement brought about.
    #[inline]
    pub(crate) fn settled(&self, how: HandlerResult, answer: &Result<(), AckError>) {
        let (Some(at), Ok(())) = (&self.0, answer) else {
            return;
        };
        let returned = match how {
            HandlerResult::Nack { requeue: true } => Returned::Now,
            HandlerResult::NackAfter { delay } => Returned::After(delay),
            HandlerResult::Ack | HandlerResult::Nack { requeue: false } => return,
        };
        at.harnessed.observer.returned(at.mount, returned);
    }

    /// Where delayed copies are spawned and counted.
    pub(crate) fn copies<'a>(&'a self, continuations: &'a Tasks) -> &'a Tasks {
        match &self.0 {
            None => continuations,
            Some(at) => &at.harnessed.copies,
        }
    }

    /// Work that runs after a delivery was settled.
    pub(crate) fn continuation<F>(&self, work: F) -> impl Future<Output = ()> + Send + use<F>
    where
        F: Future<Output = ()> + Send,
    {
        let abandonable = match &self.0 {
            None => Err(work),
            Some(at) => Ok(at.harnessed.abandonable(work)),
        };
        async move {
            match abandonable {
                Err(work) => work.await,
                Ok(work) => work.await,
            }
        }
    }

    /// Resolves after `delay`, which begins now; under a harness, as it says. What follows counts
    /// for as long as the value resolved with lives.
    pub(crate) fn after(&self, delay: Duration) -> impl Future<Output = Counted> + Send + use<> {
        let deadline = Instant::now().checked_add(delay);
        let scheduled = self.0.as_ref().map(|at| {
            let (due, scheduled) = oneshot::channel();
            let coordinator = at.harnessed.coordinator().clone();
            let counting = coordinator.clone();
            coordinator.schedule_redelivery(delay, move || drop(due.send(counting.hold())));
            scheduled
        });
        async move {
            match (scheduled, deadline) {
                (Some(scheduled), _) => Counted(scheduled.await.ok()),
                (None, Some(deadline)) => {
                    sleep_until(deadline).await;
                    Counted(None)
                }
                (None, None) => std::future::pending().await,
            }
        }
    }
}

/// A piece of work while it is under way.
#[derive(Debug)]
pub(crate) struct Counted(Option<Hold>);

impl Counted {
    /// It is under way no more.
    pub(crate) fn release(self) {
        drop(self.0);
    }
}

impl fmt::Debug for Mounted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mounted")
            .field("mount", &self.0.as_ref().map(|at| at.mount))
            .finish()
    }
}
