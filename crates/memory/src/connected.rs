//! The connected broker, and what remains of it after shutdown.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use ruststream_core::{AddressedCopies, ConnectedBroker, DefaultPublish, Subscribe};
use tokio::runtime::Handle;

use crate::bus::Bus;
use crate::error::MemoryError;
use crate::log_mode::{Discarding, LogMode};
use crate::pattern::{Pattern, has_wildcard};
use crate::policy::MemoryPublish;
use crate::publisher::MemoryPublisher;
use crate::requester::MemoryRequester;
use crate::subscriber::MemorySubscriber;

/// A [`MemoryBroker`](crate::MemoryBroker) that is connected; a clone is the same bus.
///
/// [`shutdown`](ConnectedBroker::shutdown) ends the bus for all of its handles until one of them
/// connects again. Until then they answer `ShutDown`.
pub struct ConnectedMemoryBroker<Log = Discarding> {
    pub(crate) bus: Arc<Bus>,
    /// Where delayed redeliveries are timed; none if `connect` was polled outside a runtime.
    runtime: Option<Handle>,
    log: PhantomData<fn() -> Log>,
}

impl<Log> ConnectedMemoryBroker<Log> {
    pub(crate) const fn new(bus: Arc<Bus>, runtime: Option<Handle>) -> Self {
        Self {
            bus,
            runtime,
            log: PhantomData,
        }
    }

    pub(crate) fn open_name(&self, name: &str) -> Result<MemorySubscriber<Log>, MemoryError> {
        if has_wildcard(name) {
            let name = name.to_owned();
            return Err(MemoryError::WildcardName { name });
        }
        let (registration, live) = self.bus.subscribe_name(name, self.runtime.clone());
        live?;
        Ok(MemorySubscriber::new(registration))
    }

    pub(crate) fn open_pattern(
        &self,
        pattern: Pattern,
    ) -> Result<MemorySubscriber<Discarding>, MemoryError> {
        let registration = self.bus.subscribe_pattern(pattern, self.runtime.clone())?;
        Ok(MemorySubscriber::new(registration))
    }
}

impl<Log: LogMode> ConnectedMemoryBroker<Log> {
    /// A publisher on this bus.
    #[must_use]
    pub fn publisher(&self) -> MemoryPublisher {
        MemoryPublisher::new(Arc::clone(&self.bus))
    }

    /// A requester on this bus.
    #[must_use]
    pub fn requester(&self) -> MemoryRequester {
        MemoryRequester::new(Arc::clone(&self.bus))
    }
}

impl<Log: LogMode> ConnectedBroker for ConnectedMemoryBroker<Log> {
    type Error = MemoryError;
    type Closed = ClosedMemoryBroker;

    /// Ends the bus at once; it never fails, also where a sibling was faster.
    ///
    /// Open subscribers keep what they have queued and can settle it.
    async fn shutdown(self) -> Result<ClosedMemoryBroker, MemoryError> {
        Ok(ClosedMemoryBroker {
            subscribers_dropped: self.bus.shut_down(),
        })
    }
}

impl<Log: LogMode> Subscribe for ConnectedMemoryBroker<Log> {
    type Subscriber = MemorySubscriber<Log>;
    type Copies = AddressedCopies;

    /// Opens a subscription to one name.
    ///
    /// # Errors
    ///
    /// [`MemoryError::WildcardName`] for a name with a wildcard token, else
    /// [`MemoryError::ShutDown`] on a shut-down bus.
    async fn subscribe(&self, name: &str) -> Result<MemorySubscriber<Log>, MemoryError> {
        self.open_name(name)
    }
}

impl<Log: LogMode> DefaultPublish for ConnectedMemoryBroker<Log> {
    type Policy = MemoryPublish;
}

impl<Log> Clone for ConnectedMemoryBroker<Log> {
    fn clone(&self) -> Self {
        Self::new(Arc::clone(&self.bus), self.runtime.clone())
    }
}

impl<Log> fmt::Debug for ConnectedMemoryBroker<Log> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConnectedMemoryBroker")
            .finish_non_exhaustive()
    }
}

/// What a shutdown reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClosedMemoryBroker {
    subscribers_dropped: usize,
}

impl ClosedMemoryBroker {
    /// How many subscriptions were registered when the bus shut down; zero if it already had.
    #[must_use]
    pub fn subscribers_dropped(&self) -> usize {
        self.subscribers_dropped
    }
}
