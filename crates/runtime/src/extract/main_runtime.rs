//! The runtime that runs the service, reachable from every body.

use std::future::Future;

use tokio::runtime::Handle;
use tokio::task::{JoinError, JoinHandle};

use super::ctx::{CtxKey, sealed};

/// The runtime that started the service.
///
/// A body on a dedicated thread runs on a runtime that ends with its thread; work that must
/// outlive it, or that uses connections of the service's own runtime, goes through this handle.
///
/// ```
/// use ruststream_runtime::{Context, HandlerOutcome};
///
/// fn notify(ctx: &Context<'_>) {
///     ctx.main_runtime().spawn(async { println!("parcel 41 was sorted") });
/// }
/// # fn types(_: fn(&Context<'_>)) {}
/// # types(notify);
/// ```
#[derive(Debug, Clone)]
pub struct MainRuntime(Handle);

impl MainRuntime {
    pub(crate) const fn new(handle: Handle) -> Self {
        Self(handle)
    }

    /// Spawns work on the service's runtime.
    ///
    /// Dropping the handle detaches the work; a stop of the service doesn't wait for it.
    pub fn spawn<Work>(&self, future: Work) -> JoinHandle<Work::Output>
    where
        Work: Future + Send + 'static,
        Work::Output: Send + 'static,
    {
        self.0.spawn(future)
    }

    /// Runs work on the service's runtime and waits for what it yields.
    ///
    /// The work starts at the call. Dropping the returned future stops the waiting, not the work.
    ///
    /// # Errors
    ///
    /// A [`JoinError`] where the work panicked, or the runtime ended before it.
    pub fn run<Work>(
        &self,
        future: Work,
    ) -> impl Future<Output = Result<Work::Output, JoinError>> + Send + use<Work> + 'static
    where
        Work: Future + Send + 'static,
        Work::Output: Send + 'static,
    {
        self.0.spawn(future)
    }

    /// The handle of the runtime itself.
    #[must_use]
    pub const fn as_handle(&self) -> &Handle {
        &self.0
    }
}

impl sealed::Sealed for MainRuntime {}

impl CtxKey for MainRuntime {
    type Value = Self;
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot;

    use super::*;

    // RUN-229
    #[tokio::test]
    async fn work_runs_on_the_named_runtime_whatever_the_callers() {
        let main = MainRuntime::new(Handle::current());
        let id = main.as_handle().id();

        let ran_on = std::thread::spawn(move || {
            let own = tokio::runtime::Builder::new_current_thread()
                .build()
                .unwrap();
            own.block_on(async {
                tokio::select! {
                    joined = main.run(async { Handle::current().id() }) => joined.unwrap(),
                }
            })
        });

        let ran_on = tokio::task::spawn_blocking(move || ran_on.join().unwrap())
            .await
            .unwrap();
        assert_eq!(ran_on, id);
    }

    // RUN-229
    #[tokio::test]
    async fn run_starts_the_work_at_the_call_and_dropping_it_stops_only_the_waiting() {
        let main = MainRuntime::new(Handle::current());
        let (done, seen) = oneshot::channel();

        drop(main.run(async move { done.send(41).unwrap() }));

        assert_eq!(seen.await, Ok(41));
    }

    // RUN-229
    #[tokio::test]
    async fn a_panic_of_the_work_is_an_error_of_its_join() {
        let main = MainRuntime::new(Handle::current());

        let joined = main
            .spawn(async { std::panic::resume_unwind(Box::new("broken")) })
            .await;

        assert!(joined.map(|(): ()| ()).unwrap_err().is_panic());
    }
}
