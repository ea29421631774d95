//! What a service runs around its life: the state producer and the lifecycle hooks.

use std::future::Future;
use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::registration::BoxError;

/// Makes the state of the service.
pub(crate) type Producer<State> =
    Box<dyn FnOnce() -> BoxFuture<'static, Result<State, BoxError>> + Send>;

/// A lifecycle hook, until the state is there.
pub(crate) type Hook<State> =
    Box<dyn FnOnce(Arc<State>) -> BoxFuture<'static, Result<(), BoxError>> + Send>;

/// A lifecycle hook with its state.
pub(crate) type BoundHook = Box<dyn FnOnce() -> BoxFuture<'static, Result<(), BoxError>> + Send>;

/// The producer of a service without `on_startup`.
pub(crate) fn no_state() -> Producer<()> {
    Box::new(|| Box::pin(async { Ok(()) }))
}

/// The producer that feeds what `earlier` makes to `producer`.
pub(crate) fn chained<State, State2, F, Fut, E>(
    earlier: Producer<State>,
    producer: F,
) -> Producer<State2>
where
    State: Send + 'static,
    F: FnOnce(State) -> Fut + Send + 'static,
    Fut: Future<Output = Result<State2, E>> + Send,
    E: std::error::Error + Send + Sync + 'static,
{
    Box::new(|| {
        Box::pin(async move {
            let state = earlier().await?;
            Ok(producer(state).await?)
        })
    })
}

/// Erases a hook. It is called when its turn comes, not before.
pub(crate) fn hook<State, F, Fut, E>(hook: F) -> Hook<State>
where
    State: Send + Sync + 'static,
    F: FnOnce(Arc<State>) -> Fut + Send + 'static,
    Fut: Future<Output = Result<(), E>> + Send,
    E: std::error::Error + Send + Sync + 'static,
{
    Box::new(|state| Box::pin(async move { Ok(hook(state).await?) }))
}

/// The lifecycle hooks of a service, each list in the order of registration.
pub(crate) struct Hooks<State> {
    pub(crate) after_startup: Vec<Hook<State>>,
    pub(crate) on_shutdown: Vec<Hook<State>>,
    pub(crate) after_shutdown: Vec<Hook<State>>,
}

/// [`Hooks`] with their state.
pub(crate) struct BoundHooks {
    pub(crate) after_startup: Vec<BoundHook>,
    pub(crate) on_shutdown: Vec<BoundHook>,
    pub(crate) after_shutdown: Vec<BoundHook>,
}

impl<State> Hooks<State> {
    pub(crate) const fn new() -> Self {
        Self {
            after_startup: Vec::new(),
            on_shutdown: Vec::new(),
            after_shutdown: Vec::new(),
        }
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.after_startup.is_empty()
            && self.on_shutdown.is_empty()
            && self.after_shutdown.is_empty()
    }
}

impl<State: Send + Sync + 'static> Hooks<State> {
    pub(crate) fn bind(self, state: &Arc<State>) -> BoundHooks {
        BoundHooks {
            after_startup: bound(self.after_startup, state),
            on_shutdown: bound(self.on_shutdown, state),
            after_shutdown: bound(self.after_shutdown, state),
        }
    }
}

fn bound<State>(hooks: Vec<Hook<State>>, state: &Arc<State>) -> Vec<BoundHook>
where
    State: Send + Sync + 'static,
{
    let bind = |hook: Hook<State>| {
        let state = Arc::clone(state);
        Box::new(move || hook(state)) as BoundHook
    };
    hooks.into_iter().map(bind).collect()
}
