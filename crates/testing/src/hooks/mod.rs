//! The test's own reactions to calls and publishes.
//!
//! A hook's future need not be `Send`, so no task of the runtime can hold it; it runs on a thread
//! of its own, inside the runtime's context, while what caused it waits. The thread is
//! [`run`](self::run)'s; this file is which hooks there are and what becomes of their panics.

mod run;

use std::any::Any;
use std::fmt;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use futures_util::future::LocalBoxFuture;
use ruststream_runtime::observe::Reaction;
use tokio::runtime::Handle;

use crate::harness::Harness;
use run::{Running, Runs};

/// What a hook may be registered for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Event<'a> {
    Call { scope: usize, name: &'a str },
    Publish { scope: usize, name: &'a str },
    Slot(&'a str),
}

impl Event<'_> {
    fn owned(self) -> OwnedEvent {
        match self {
            Self::Call { scope, name } => OwnedEvent::Call(scope, name.to_owned()),
            Self::Publish { scope, name } => OwnedEvent::Publish(scope, name.to_owned()),
            Self::Slot(name) => OwnedEvent::Slot(name.to_owned()),
        }
    }
}

#[derive(Debug)]
enum OwnedEvent {
    Call(usize, String),
    Publish(usize, String),
    Slot(String),
}

impl OwnedEvent {
    fn borrowed(&self) -> Event<'_> {
        match self {
            Self::Call(scope, name) => Event::Call {
                scope: *scope,
                name,
            },
            Self::Publish(scope, name) => Event::Publish {
                scope: *scope,
                name,
            },
            Self::Slot(name) => Event::Slot(name),
        }
    }
}

/// A hook without its type: given the harness and how many records its view sees, it makes the
/// future, on the thread that runs it.
pub(crate) type Hook =
    Arc<dyn Fn(Arc<Harness>, usize) -> LocalBoxFuture<'static, ()> + Send + Sync>;

/// The hooks of one run.
pub(crate) struct Hooks {
    /// Whether there are any, so that an event without hooks costs one load.
    any: AtomicBool,
    registered: Mutex<Vec<(OwnedEvent, Hook)>>,
    runs: Arc<Runs>,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
    runtime: Handle,
}

impl Hooks {
    /// No hooks, for events of the current runtime.
    ///
    /// # Panics
    ///
    /// Outside of a runtime.
    pub(crate) fn new() -> Self {
        let Ok(runtime) = Handle::try_current() else {
            panic!(
                "a `TestApp` starts inside a Tokio runtime, and there is none here: make the test \
                 `#[tokio::test] async fn`, or start it inside of `Runtime::block_on`"
            );
        };
        Self {
            any: AtomicBool::new(false),
            registered: Mutex::default(),
            runs: Arc::default(),
            panic: Mutex::default(),
            runtime,
        }
    }

    fn registered(&self) -> MutexGuard<'_, Vec<(OwnedEvent, Hook)>> {
        self.registered
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn register(&self, event: Event<'_>, hook: Hook) {
        self.registered().push((event.owned(), hook));
        self.any.store(true, Ordering::Release);
    }

    /// What the hooks of `event` have to do, each seeing the first `within` records.
    pub(crate) fn reaction(
        &self,
        harness: &Weak<Harness>,
        event: &Event<'_>,
        within: usize,
    ) -> Reaction {
        if !self.any.load(Ordering::Acquire) {
            return None;
        }
        let registered = self.registered();
        let of_event = registered.iter().filter(|(of, _)| of.borrowed() == *event);
        let hooks: Vec<Hook> = of_event.map(|(_, hook)| Arc::clone(hook)).collect();
        drop(registered);
        if hooks.is_empty() {
            return None;
        }
        let harness = harness.upgrade()?;
        let (runtime, runs) = (self.runtime.clone(), Arc::clone(&self.runs));
        Some(Box::pin(async move {
            Running::start(runtime, &runs, harness, hooks, within).await;
        }))
    }

    /// Keeps a panic for the test's own task; only the first is.
    fn keep_panic(&self, panic: Box<dyn Any + Send>) {
        let mut kept = self.panic.lock().unwrap_or_else(PoisonError::into_inner);
        kept.get_or_insert(panic);
    }

    /// Goes on with the panic of a hook, in the task that calls this.
    pub(crate) fn raise(&self) {
        let panic = self
            .panic
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(panic) = panic {
            resume_unwind(panic);
        }
    }

    /// Drops every hook that runs where it waits, and then the hooks themselves.
    pub(crate) async fn close(&self) {
        self.forget();
        self.runs.cancel();
        self.runs.gone().await;
    }

    /// As [`close`](Self::close), where nothing can be awaited: waits for those that wait
    /// themselves.
    pub(crate) fn abandon(&self) {
        self.forget();
        self.runs.cancel();
        self.runs.block_until_gone();
    }

    fn forget(&self) {
        let forgotten = std::mem::take(&mut *self.registered());
        drop(forgotten);
    }
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hooks").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Weak, mpsc};
    use std::time::Duration;

    use super::{Event, Hooks};

    // TEST-65: what an event would wait for, were it more than the one load, is held meanwhile.
    #[tokio::test]
    async fn an_event_of_a_run_without_hooks_takes_no_lock() {
        let hooks = Hooks::new();
        let held = hooks.registered();
        let (done, waited) = mpsc::channel();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let slot = Event::Slot("Routes");
                let reaction = hooks.reaction(&Weak::new(), &slot, 0);
                done.send(reaction.is_none())
            });
            let free = waited.recv_timeout(Duration::from_secs(10));
            drop(held);
            assert_eq!(free, Ok(true));
        });
    }
}
