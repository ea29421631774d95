//! The broker before it is connected.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use ruststream_core::{Broker, DescribeServer, ServerSpec};
use tokio::runtime::Handle;

use crate::bus::Bus;
use crate::connected::ConnectedMemoryBroker;
use crate::error::MemoryError;
use crate::log_mode::{Discarding, LogMode, Retaining};
use crate::pattern::has_wildcard;
use crate::publisher::MemoryPublisher;
use crate::requester::MemoryRequester;
use crate::retention::{Keep, Retention};
use crate::routing::Routing;
use crate::subscriber::MemorySubscriber;

/// A message broker inside this process.
///
/// A clone is the same bus; two brokers built apart share nothing. Each subscription of a name gets
/// every message published to it since it opened: there are no consumer groups, so work is shared
/// among the workers of one subscription.
///
/// `Log` says whether the broker keeps what was published: [`MemoryBroker::new`] discards,
/// [`MemoryBroker::retaining`] keeps a bounded log per name that subscriptions can replay.
///
/// Handles work before the broker is connected, so a test can publish before its service exists.
///
/// ```
/// use futures_util::StreamExt;
/// use ruststream_core::{Broker, ConnectedBroker, IncomingMessage, OutgoingMessage, Publisher};
/// use ruststream_core::{Subscribe, Subscriber};
/// use ruststream_memory::MemoryBroker;
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
///
/// let broker = MemoryBroker::new().connect().await?;
/// let mut parcels = Subscribe::subscribe(&broker, "parcels").await?;
/// broker.publisher().publish(OutgoingMessage::new("parcels", b"fragile"), None).await?;
///
/// let parcel = parcels.stream().next().await.expect("queued")?;
/// assert_eq!(parcel.payload(), b"fragile");
/// parcel.ack().await?;
///
/// assert_eq!(broker.shutdown().await?.subscribers_dropped(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
pub struct MemoryBroker<Log = Discarding> {
    bus: Arc<Bus>,
    log: PhantomData<fn() -> Log>,
}

impl MemoryBroker<Discarding> {
    /// A broker that keeps a message only until it is consumed.
    #[must_use]
    pub fn new() -> Self {
        Self::keeping(Keep::Nothing)
    }
}

impl MemoryBroker<Retaining> {
    /// A broker that keeps the newest messages of every name, as far as `retention` goes.
    #[must_use]
    pub fn retaining(retention: Retention) -> Self {
        Self::keeping(Keep::Within(retention))
    }
}

impl<Log> MemoryBroker<Log> {
    fn keeping(keep: Keep) -> Self {
        Self {
            bus: Bus::new(keep),
            log: PhantomData,
        }
    }
}

impl<Log: LogMode> MemoryBroker<Log> {
    /// Chooses which matching subscriptions a publish reaches, for every handle of this bus.
    ///
    /// The choice outlives a shutdown and a later connect.
    #[must_use]
    pub fn routing(self, routing: Routing) -> Self {
        self.bus.set_routing(routing);
        self
    }

    /// Opens a subscription without connecting.
    ///
    /// On a shut-down bus it never yields. A name with a wildcard token is no name to subscribe to:
    /// its streams end at once, where a connected broker answers with an error.
    #[must_use]
    pub fn subscribe(&self, name: impl Into<String>) -> MemorySubscriber<Log> {
        let name = name.into();
        if has_wildcard(&name) {
            return MemorySubscriber::ended(&name);
        }
        let (registration, _live) = self.bus.subscribe_name(&name, None);
        MemorySubscriber::new(registration)
    }

    /// A publisher on this bus, which works before the broker is connected and after.
    #[must_use]
    pub fn publisher(&self) -> MemoryPublisher {
        MemoryPublisher::new(Arc::clone(&self.bus))
    }

    /// A requester on this bus, which works before the broker is connected and after.
    #[must_use]
    pub fn requester(&self) -> MemoryRequester {
        MemoryRequester::new(Arc::clone(&self.bus))
    }
}

impl<Log: LogMode> Broker for MemoryBroker<Log> {
    type Error = MemoryError;
    type Connected = ConnectedMemoryBroker<Log>;

    /// Connects at once; it never fails.
    ///
    /// A live bus keeps its subscriptions. One that was shut down is live again, without
    /// subscriptions but with its routing and what it retained.
    ///
    /// Delayed redeliveries of subscriptions opened through the connected form are timed on the
    /// Tokio runtime that polls this future, if one does.
    async fn connect(self) -> Result<ConnectedMemoryBroker<Log>, MemoryError> {
        self.bus.revive();
        Ok(ConnectedMemoryBroker::new(
            self.bus,
            Handle::try_current().ok(),
        ))
    }
}

impl<Log: LogMode> DescribeServer for MemoryBroker<Log> {
    fn describe_server(&self) -> ServerSpec {
        ServerSpec::in_process("memory")
    }
}

impl<Log> Clone for MemoryBroker<Log> {
    fn clone(&self) -> Self {
        Self {
            bus: Arc::clone(&self.bus),
            log: PhantomData,
        }
    }
}

impl Default for MemoryBroker<Discarding> {
    fn default() -> Self {
        Self::new()
    }
}

impl<Log> fmt::Debug for MemoryBroker<Log> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryBroker").finish_non_exhaustive()
    }
}
