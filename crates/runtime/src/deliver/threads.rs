//! Workers on operating system threads of the subscription's own: `threads(n)` and by key.
//!
//! What is relied on: a thread owns a runtime, a lane and a tracker of continuations, and ends in
//! this order: the lane is drained, the continuations have ended, the path is released, the runtime
//! is dropped, the end is told. A thread that panics drops its end untold. The loop owns the guard of a token: dropping
//! the loop, also one that never ran, cancels what the threads are at; each ends at its next await.
//! Threads are counted among the service's workers, as the tasks of a pool are.

use std::io;
use std::pin::pin;
use std::thread;

use tokio::runtime::{Builder, Runtime};
use tokio::sync::{oneshot, watch};

use super::crew::{Crew, Worker};
use super::feed::feed;
use super::handover::Shape;
use super::intake::Intake;
use crate::app::{DispatchLoop, Service};
use crate::tasks::Counting;

/// Items queued before each thread, beside the one in process (RUN-221).
const QUEUE: usize = 8;

/// The lanes of `count` threads.
pub(super) const fn shape(count: usize) -> Shape {
    Shape {
        lanes: count,
        workers: 1,
        limit: QUEUE + 1,
    }
}

/// Threads that wait for items.
struct Running {
    ends: Vec<oneshot::Receiver<()>>,
    /// Dropped, it cancels.
    _cancel: watch::Sender<()>,
}

/// Starts the threads of a loop, and makes the loop, which is the same for every handler of such a
/// source.
///
/// # Errors
///
/// A thread, or its runtime, that cannot be made; those made before end by themselves.
pub(super) fn start<I: Intake>(
    mut intake: I,
    crew: Crew<I::Item>,
) -> Result<DispatchLoop, ThreadError> {
    let Crew {
        giver,
        placing,
        fed,
        workers,
    } = crew;
    let running = Running::start(workers, &fed.service, &fed.subscription)?;
    Ok(Box::pin(async move {
        let stream = pin!(intake.items());
        let dead = feed(stream, giver, placing, &fed).await;
        running.finish(&fed.subscription, dead).await;
    }))
}

impl Running {
    fn start(
        workers: Vec<Worker>,
        service: &Service,
        subscription: &str,
    ) -> Result<Self, ThreadError> {
        let (cancel, cancelled) = watch::channel(());
        let count = workers.len();
        let mut ends = Vec::with_capacity(count);
        for (index, worker) in workers.into_iter().enumerate() {
            let thread = Thread {
                counted: service.workers().count(),
                cancelled: cancelled.clone(),
                worker,
            };
            let started = thread
                .start(subscription, index)
                .map_err(|source| ThreadError {
                    subscription: subscription.to_owned(),
                    index,
                    count,
                    source,
                });
            ends.push(started?);
        }
        Ok(Self {
            ends,
            _cancel: cancel,
        })
    }

    /// Waits until the threads have finished what they hold, continuations included.
    async fn finish(self, subscription: &str, dead: Option<usize>) {
        if let Some(thread) = dead {
            tracing::error!(
                target: "ruststream::dispatch",
                subscription = %subscription, thread,
                "dedicated thread terminated; stopping dispatch"
            );
        }
        for (thread, end) in self.ends.into_iter().enumerate() {
            if end.await.is_err() {
                tracing::error!(
                    target: "ruststream::dispatch",
                    subscription = %subscription, thread,
                    "a dedicated thread ended abnormally"
                );
            }
        }
    }
}

struct Thread {
    worker: Worker,
    cancelled: watch::Receiver<()>,
    counted: Counting,
}

impl Thread {
    fn start(self, subscription: &str, index: usize) -> io::Result<oneshot::Receiver<()>> {
        let runtime = OwnRuntime::new()?;
        let (told, end) = oneshot::channel();
        thread::Builder::new()
            .name(name(subscription, index))
            .spawn(move || {
                // Made local in the order in which they must outlive what follows, also a panic:
                // tasks that bodies left on the runtime are gone before the end is told.
                let told = told;
                {
                    let runtime = runtime;
                    self.run(&runtime);
                }
                let _ = told.send(());
            })?;
        Ok(end)
    }

    fn run(self, runtime: &OwnRuntime) {
        let Self {
            worker,
            mut cancelled,
            counted,
        } = self;
        let Worker {
            items,
            continuations,
        } = worker;
        let _counted = counted;
        runtime.get().block_on(async move {
            let all = async {
                items.await;
                continuations.wait().await;
            };
            tokio::select! {
                biased;
                // Nothing is ever sent: it answers once the loop is gone.
                _ = cancelled.changed() => {}
                () = all => {}
            }
        });
    }
}

/// A thread's runtime. Dropping it waits for nothing: neither for a blocking call that a body left
/// behind, nor where the thread could not be made and the dropping task may not block.
struct OwnRuntime(Option<Runtime>);

impl OwnRuntime {
    fn new() -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        Ok(Self(Some(runtime)))
    }

    fn get(&self) -> &Runtime {
        self.0.as_ref().expect("taken by `drop` alone")
    }
}

impl Drop for OwnRuntime {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// Operating systems take no NUL in a name.
fn name(subscription: &str, index: usize) -> String {
    let mut name = subscription.replace('\0', "");
    name.push('/');
    name.push_str(&index.to_string());
    name
}

/// RUN-054.
#[derive(Debug, thiserror::Error)]
#[error(
    "subscription `{subscription}` could not start its dedicated thread {index}: {source}; give it \
     fewer than {count}, or raise the system's limit"
)]
pub(crate) struct ThreadError {
    subscription: String,
    index: usize,
    count: usize,
    source: io::Error,
}

#[cfg(test)]
mod tests {
    use super::*;

    // RUN-054
    #[test]
    fn a_thread_that_cannot_be_made_is_told_by_its_number() {
        let refused = ThreadError {
            subscription: "parcels".into(),
            index: 2,
            count: 8,
            source: io::ErrorKind::WouldBlock.into(),
        };

        let text = "subscription `parcels` could not start its dedicated thread 2: operation would \
                    block; give it fewer than 8, or raise the system's limit";
        assert_eq!(refused.to_string(), text);
    }

    // RUN-054: the startup that fails is a task of the application's runtime.
    #[tokio::test]
    async fn a_runtime_without_its_thread_is_dropped_where_nothing_may_block() {
        drop(OwnRuntime::new().unwrap());
    }

    // RUN-226, trap 49
    #[test]
    fn threads_are_named_for_their_subscription_without_nul() {
        assert_eq!(name("par\0cels.\0*", 3), "parcels.*/3");
    }
}
