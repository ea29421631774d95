//! Work that a stop waits for.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Notify;
use tokio::task::JoinHandle;

/// Counts tasks and threads of one kind. Clones share the count.
///
/// What is relied on: the count falls to zero before the waiters are told, and a waiter listens
/// before it looks. So it either sees the zero or is told.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tasks(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    running: AtomicUsize,
    none: Notify,
}

/// Counts as one task for as long as it exists.
#[derive(Debug)]
pub(crate) struct Counting(Arc<Shared>);

impl Tasks {
    /// One more, until what this returns is dropped.
    pub(crate) fn count(&self) -> Counting {
        self.0.running.fetch_add(1, Ordering::Relaxed);
        Counting(Arc::clone(&self.0))
    }

    /// `task`, counted from now until it has ended or is dropped.
    pub(crate) fn counted<F: Future>(&self, task: F) -> impl Future<Output = F::Output> + use<F> {
        let counting = self.count();
        async move {
            let _counting = counting;
            task.await
        }
    }

    /// Runs `task` on the current runtime, counted.
    pub(crate) fn spawn<F>(&self, task: F) -> JoinHandle<F::Output>
    where
        F: Future<Output: Send> + Send + 'static,
    {
        tokio::spawn(self.counted(task))
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.0.running.load(Ordering::Acquire)
    }

    /// Resolves at a moment at which there are none.
    pub(crate) async fn wait(&self) {
        loop {
            let told = self.0.none.notified();
            if self.len() == 0 {
                return;
            }
            told.await;
        }
    }
}

impl Drop for Counting {
    fn drop(&mut self) {
        if self.0.running.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.0.none.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    // RUN-074
    #[test]
    fn a_wait_ends_with_the_last_task_and_not_before() {
        let tasks = Tasks::default();
        assert_eq!(tasks.wait().now_or_never(), Some(()));
        let (first, second) = (tasks.count(), tasks.clone().count());
        let mut wait = Box::pin(tasks.wait());
        assert_eq!(tasks.len(), 2);
        assert_eq!(wait.as_mut().now_or_never(), None);
        drop(first);
        assert_eq!(wait.as_mut().now_or_never(), None);
        drop(second);
        assert_eq!(wait.now_or_never(), Some(()));
    }

    // RUN-074: tasks that make tasks are waited for too, at whatever moment the wait looks.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_wait_looks_again_where_a_task_left_another() {
        for _ in 0..1_000 {
            let tasks = Tasks::default();
            let others = tasks.clone();
            tasks.spawn(async move {
                others.spawn(tokio::task::yield_now());
            });
            tasks.wait().await;
            assert_eq!(tasks.len(), 0);
        }
    }

    #[test]
    fn a_task_that_is_dropped_unfinished_counts_no_more() {
        let tasks = Tasks::default();
        let task = tasks.counted(std::future::pending::<()>());
        assert_eq!(tasks.len(), 1);
        drop(task);
        assert_eq!(tasks.len(), 0);
    }
}
