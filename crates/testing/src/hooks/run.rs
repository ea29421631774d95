//! One event's hooks, running on a thread of their own.
//!
//! The thread is a small executor: it polls a hook's future inside the runtime's context and parks
//! until that is woken. What caused the event awaits [`Running`] on the runtime; dropped, it has the
//! future dropped on its thread as soon as that waits.
//!
//! A paused clock moves by itself once the runtime has nothing to do, and what a thread outside of
//! it does is nothing to the runtime. So while the thread is *busy* (from a wake until it parks
//! again) the waiting task keeps the runtime awake; timers of the test do not fire because a hook
//! takes its microseconds. A hook that blocks its thread for longer than [`PATIENCE`] may be waiting
//! for the clock, so then the clock may move.
//!
//! `busy` and the waker are changed and the waiting task is woken after it, in this order; the task
//! registers its waker before it looks. So no change is missed.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Duration;

use futures_util::future::LocalBoxFuture;
use futures_util::task::AtomicWaker;
use tokio::runtime::Handle;
use tokio::sync::Notify;

use super::Hook;
use crate::clock::Glance;
use crate::harness::Harness;

/// How long a hook may keep its thread before the clock is let go.
const PATIENCE: Duration = Duration::from_millis(200);

/// How long a harness that is dropped waits for hooks to be gone.
const AT_DROP: Duration = Duration::from_secs(1);

/// All hooks that run.
#[derive(Default)]
pub(super) struct Runs {
    running: Mutex<Vec<Arc<Run>>>,
    one_gone: Notify,
    one_gone_blocking: Condvar,
    closed: AtomicBool,
}

impl Runs {
    fn running(&self) -> MutexGuard<'_, Vec<Arc<Run>>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has all of them dropped where they wait, and those that would start.
    pub(super) fn cancel(&self) {
        self.closed.store(true, Ordering::SeqCst);
        for run in &*self.running() {
            run.cancel();
        }
    }

    pub(super) async fn gone(&self) {
        loop {
            let one_gone = self.one_gone.notified();
            if self.running().is_empty() {
                return;
            }
            one_gone.await;
        }
    }

    pub(super) fn block_until_gone(&self) {
        let running = self.running();
        let some_left = |running: &mut Vec<Arc<Run>>| !running.is_empty();
        let waited = self
            .one_gone_blocking
            .wait_timeout_while(running, AT_DROP, some_left);
        drop(waited);
    }

    fn remove(&self, gone: &Arc<Run>) {
        self.running().retain(|run| !Arc::ptr_eq(run, gone));
        self.one_gone.notify_waiters();
        self.one_gone_blocking.notify_all();
    }
}

/// What the thread and the task share.
#[derive(Default)]
struct Run {
    thread: Mutex<Option<Thread>>,
    woken: AtomicBool,
    /// The thread polls, or is about to.
    busy: AtomicBool,
    done: AtomicBool,
    cancelled: AtomicBool,
    task: AtomicWaker,
}

impl Run {
    fn cancel(&self) {
        self.cancelled.store(true, Ordering::SeqCst);
        self.unpark();
    }

    fn unpark(&self) {
        if let Some(thread) = &*self.thread.lock().unwrap_or_else(PoisonError::into_inner) {
            thread.unpark();
        }
    }

    /// Polls `future` until it is ready, or until it waits and the run is cancelled.
    fn block_on(self: &Arc<Self>, mut future: LocalBoxFuture<'static, ()>) {
        let waker = Waker::from(Arc::clone(self));
        let mut cx = Context::from_waker(&waker);
        loop {
            self.woken.store(false, Ordering::SeqCst);
            if self.cancelled.load(Ordering::SeqCst) || future.as_mut().poll(&mut cx).is_ready() {
                return;
            }
            while !self.woken.load(Ordering::SeqCst) {
                if self.cancelled.load(Ordering::SeqCst) {
                    return;
                }
                self.busy.store(false, Ordering::SeqCst);
                // A wake that came just before says busy once more.
                if self.woken.load(Ordering::SeqCst) {
                    self.busy.store(true, Ordering::SeqCst);
                    break;
                }
                self.task.wake();
                thread::park();
            }
            self.busy.store(true, Ordering::SeqCst);
        }
    }
}

impl Wake for Run {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.busy.store(true, Ordering::SeqCst);
        self.woken.store(true, Ordering::SeqCst);
        self.unpark();
        self.task.wake();
    }
}

/// The hooks of one event while they run, for the cause that waits for them.
pub(super) struct Running {
    run: Arc<Run>,
    /// Since when the thread is busy.
    busy_since: Option<Glance>,
}

impl Running {
    /// Starts the hooks, one after the other; a panic of one skips the rest.
    pub(super) fn start(
        runtime: Handle,
        runs: &Arc<Runs>,
        harness: Arc<Harness>,
        hooks: Vec<Hook>,
        within: usize,
    ) -> Self {
        let run = Arc::new(Run {
            busy: AtomicBool::new(true),
            ..Run::default()
        });
        runs.running().push(Arc::clone(&run));
        if runs.closed.load(Ordering::SeqCst) {
            run.cancel();
        }
        let (shared, runs) = (Arc::clone(&run), Arc::clone(runs));
        let on_thread = move || {
            *shared.thread.lock().unwrap_or_else(PoisonError::into_inner) = Some(thread::current());
            run_hooks(&shared, &runtime, &harness, hooks, within);
            // What the hooks held is gone before anybody is told.
            drop(harness);
            shared.done.store(true, Ordering::SeqCst);
            runs.remove(&shared);
            shared.task.wake();
        };
        let thread = thread::Builder::new().name("test hook".to_owned());
        if let Err(error) = thread.spawn(on_thread) {
            panic!("no thread could be started for a hook of the test: {error}");
        }
        Self {
            run,
            busy_since: None,
        }
    }

    /// Whether the clock must be kept from moving.
    fn holds_the_clock(&mut self) -> bool {
        if !self.run.busy.load(Ordering::SeqCst) {
            self.busy_since = None;
            return false;
        }
        let since = self.busy_since.get_or_insert_with(Glance::now);
        since.real_elapsed() < PATIENCE && since.stands_still() != Some(false)
    }
}

fn run_hooks(
    run: &Arc<Run>,
    runtime: &Handle,
    harness: &Arc<Harness>,
    hooks: Vec<Hook>,
    within: usize,
) {
    let _inside = runtime.enter();
    for hook in hooks {
        let hooked = catch_unwind(AssertUnwindSafe(|| {
            if !run.cancelled.load(Ordering::SeqCst) {
                run.block_on(hook(Arc::clone(harness), within));
            }
            drop(hook);
        }));
        if let Err(panic) = hooked {
            harness.hooks().keep_panic(panic);
            return;
        }
    }
}

impl Future for Running {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        self.run.task.register(cx.waker());
        if self.run.done.load(Ordering::SeqCst) {
            return Poll::Ready(());
        }
        if self.holds_the_clock() {
            thread::yield_now();
            cx.waker().wake_by_ref();
        }
        Poll::Pending
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.run.cancel();
    }
}
