//! The client's subscription, dropped where it can be.

use std::pin::Pin;
use std::task::{Context, Poll};

use async_nats::{Message, Subscriber};
use futures_core::Stream;
use tokio::runtime::{self, Handle};

/// NOTE: the client's subscriber spawns its unsubscription when it is dropped, which panics outside
/// a runtime. This one brings the broker's.
pub(crate) struct Subscription {
    /// Taken by the drop alone.
    inner: Option<Subscriber>,
    runtime: Option<Handle>,
}

impl Subscription {
    pub(crate) fn new(inner: Subscriber, runtime: Option<Handle>) -> Self {
        Self {
            inner: Some(inner),
            runtime: runtime.or_else(|| Handle::try_current().ok()),
        }
    }

    #[inline]
    pub(crate) fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Message>> {
        match &mut self.inner {
            Some(inner) => Pin::new(inner).poll_next(cx),
            None => Poll::Ready(None),
        }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        let inner = self.inner.take();
        if let Some(runtime) = &self.runtime {
            let _entered = runtime.enter();
            drop(inner);
        } else if Handle::try_current().is_ok() {
            drop(inner);
        } else if let Ok(throwaway) = runtime::Builder::new_current_thread().build() {
            // The unsubscription is lost with it; the client makes up for that at the next message.
            let _entered = throwaway.enter();
            drop(inner);
        } else {
            std::mem::forget(inner);
        }
    }
}
