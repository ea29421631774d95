//! Workers on operating system threads of the subscription's own: `threads(n)` and by key.
//!
//! What is relied on: a thread owns a runtime, a lane and a tracker of continuations, and ends in
//! this order: the lane is drained, the continuations have ended, the path is released, the runtime
//! is dropped, the end is told. A thread that panics drops its end untold. The loop owns the guard of a token: dropping
//! the loop, also one that never ran, cancels what the threads are at; each ends at its next await.
//! Threads are counted among the service's workers, as the tasks of a pool are.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::thread;

use futures_core::Stream;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{oneshot, watch};

use super::feed::{Placing, feed};
use super::handover::{Giver, Shape, lanes};
use super::work::{Work, work};
use crate::tasks::{Counting, Tasks};
use crate::workers::Placement;

/// Items queued before each thread, beside the one in process (RUN-221).
const QUEUE: usize = 8;

/// Threads that wait for items.
pub(super) struct Threads<T, W> {
    giver: Giver<T>,
    placing: Placing,
    work: Arc<W>,
    running: Running,
}

/// What of the threads has no type of an item in it.
struct Running {
    ends: Vec<oneshot::Receiver<()>>,
    /// Dropped, it cancels.
    _cancel: watch::Sender<()>,
}

/// Starts the threads of a loop.
///
/// # Errors
///
/// A thread, or its runtime, that cannot be made; those made before end by themselves.
pub(super) fn start<T, W>(
    worked: W,
    count: usize,
    by_key: bool,
) -> Result<Threads<T, W>, ThreadError>
where
    T: Send + 'static,
    W: Work<T>,
{
    let worked = Arc::new(worked);
    let (giver, takers) = lanes(Shape {
        lanes: count,
        workers: 1,
        limit: QUEUE + 1,
    });
    let (cancel, cancelled) = watch::channel(());
    let mut ends = Vec::with_capacity(count);
    for (index, taker) in takers.into_iter().enumerate() {
        let continuations = Tasks::default();
        let items = work(
            taker,
            Arc::clone(&worked),
            continuations.clone(),
            Placement::Threads,
        );
        let thread = Thread {
            counted: worked.service().workers().count(),
            cancelled: cancelled.clone(),
            continuations,
            items: Box::pin(items),
        };
        let started = thread
            .start(worked.subscription(), index)
            .map_err(|source| ThreadError {
                subscription: worked.subscription().to_owned(),
                index,
                count,
                source,
            });
        ends.push(started?);
    }
    let running = Running {
        ends,
        _cancel: cancel,
    };
    Ok(Threads {
        giver,
        placing: Placing::new(by_key, count),
        work: worked,
        running,
    })
}

pub(super) async fn run<St, T, E, W>(stream: Pin<&mut St>, threads: Threads<T, W>)
where
    St: Stream<Item = Result<T, E>>,
    E: std::error::Error + Send,
    W: Work<T>,
{
    let Threads {
        giver,
        placing,
        work,
        running,
    } = threads;
    let dead = feed(stream, giver, placing, &*work).await;
    running.finish(work.subscription(), dead).await;
}

impl Running {
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
    items: Pin<Box<dyn Future<Output = ()> + Send>>,
    continuations: Tasks,
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
            items,
            continuations,
            mut cancelled,
            counted,
        } = self;
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
