//! Panics of a future, as values.

use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

/// `body`, with a panic of any of its polls as its answer.
///
/// Whatever the panic left half-changed is for the caller to throw away.
#[inline]
pub(crate) const fn caught<F: Future>(body: F) -> Caught<F> {
    Caught { body }
}

pin_project! {
    /// See [`caught`].
    pub(crate) struct Caught<F> {
        #[pin]
        body: F,
    }
}

impl<F: Future> Future for Caught<F> {
    type Output = Result<F::Output, Box<dyn Any + Send>>;

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let body = self.project().body;
        match catch_unwind(AssertUnwindSafe(|| body.poll(cx))) {
            Ok(polled) => polled.map(Ok),
            Err(panic) => Poll::Ready(Err(panic)),
        }
    }
}
