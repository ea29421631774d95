//! One registration, from the mount to its running loop; nothing of the body's types shows here.

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use super::service::Service;
use crate::docs::HandlerMetadata;

pub(crate) type BoxError = Box<dyn Error + Send + Sync>;

/// A dispatch loop, ready to be spawned on the application's runtime. It ends when its stream does,
/// or when the stop signal is raised and everything it took is settled.
pub(crate) type DispatchLoop = Pin<Box<dyn Future<Output = ()> + Send>>;

/// What opening a registration needs of the starting application.
pub(crate) struct Opening<'a, C, S> {
    pub(crate) connected: &'a C,
    pub(crate) state: Arc<S>,
    pub(crate) service: Service,
}

type Open<C, S> = Box<
    dyn for<'a> FnOnce(
            Opening<'a, C, S>,
        )
            -> Pin<Box<dyn Future<Output = Result<DispatchLoop, BoxError>> + Send + 'a>>
        + Send,
>;

/// A mounted registration on a broker whose connected form is `C`, in an application of state `S`.
pub(crate) struct Registration<C, S> {
    pub(crate) metadata: HandlerMetadata,
    open: Open<C, S>,
}

impl<C, S> Registration<C, S> {
    pub(crate) fn new<F>(metadata: HandlerMetadata, open: F) -> Self
    where
        F: for<'a> FnOnce(
                Opening<'a, C, S>,
            ) -> Pin<
                Box<dyn Future<Output = Result<DispatchLoop, BoxError>> + Send + 'a>,
            > + Send
            + 'static,
    {
        Self {
            metadata,
            open: Box::new(open),
        }
    }

    /// Performs the startup steps of RUN-051 up to the loop, in their order.
    pub(crate) async fn open(self, opening: Opening<'_, C, S>) -> Result<DispatchLoop, BoxError> {
        (self.open)(opening).await
    }
}

impl<C, S> fmt::Debug for Registration<C, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registration")
            .field("name", &self.metadata.name)
            .finish_non_exhaustive()
    }
}
