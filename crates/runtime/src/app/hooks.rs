//! What a service runs around its life: the state producer and the lifecycle hooks.

use std::future::Future;
use std::sync::Arc;

use futures_core::future::BoxFuture;

use super::registration::BoxError;

/// What a hook may fail with: every error that is `Send + Sync + 'static`.
///
/// ```
/// use std::io;
///
/// use ruststream_runtime::{AppInfo, RustStream};
///
/// let app = RustStream::new(AppInfo::new("depot", "1.0.0"))
///     .after_startup(async |_state| std::fs::create_dir_all("labels"))
///     .after_shutdown(async |_state| {
///         let sent: Result<(), Box<dyn std::error::Error + Send + Sync>> = Ok(());
///         sent.map_err(io::Error::other)
///     });
/// # drop(app);
/// ```
#[diagnostic::on_unimplemented(
    message = "a hook cannot fail with `{Self}`: make its error one type that implements `Error + Send + Sync`",
    label = "this hook's error is no such type",
    note = "name an error of your own, for instance with `#[derive(thiserror::Error)]`, or wrap a boxed \
            one: `.map_err(std::io::Error::other)` takes a `Box<dyn Error + Send + Sync>` or a text"
)]
pub trait HookError {
    /// The error without its type.
    #[doc(hidden)]
    fn into_boxed(self) -> BoxError;
}

#[diagnostic::do_not_recommend]
impl<E: std::error::Error + Send + Sync + 'static> HookError for E {
    fn into_boxed(self) -> BoxError {
        Box::new(self)
    }
}

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
    E: HookError,
{
    Box::new(|| {
        Box::pin(async move {
            let state = earlier().await?;
            producer(state).await.map_err(HookError::into_boxed)
        })
    })
}

/// Erases a hook. It is called when its turn comes, not before.
pub(crate) fn hook<State, F, Fut, E>(hook: F) -> Hook<State>
where
    State: Send + Sync + 'static,
    F: FnOnce(Arc<State>) -> Fut + Send + 'static,
    Fut: Future<Output = Result<(), E>> + Send,
    E: HookError,
{
    Box::new(|state| Box::pin(async move { hook(state).await.map_err(HookError::into_boxed) }))
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
