//! Subscriptions by name.

use std::borrow::Cow;

use ruststream_core::{
    AddressedCopies, FromName, IntoSource, RedeliveryAddress, RedeliveryAddressed,
    SubscriptionSource,
};

use crate::connected::ConnectedMemoryBroker;
use crate::error::MemoryError;
use crate::log_mode::LogMode;
use crate::subscriber::MemorySubscriber;

/// Reads one name, as a bare name in `#[subscriber("parcels")]` does.
///
/// This is the form for a mount that names the kind of its source, such as one that starts at a
/// position. A name with a wildcard token is refused with [`MemoryError::WildcardName`]; those are
/// read by a [`MemoryPattern`](crate::MemoryPattern).
///
/// ```
/// use ruststream_core::{Broker, StartAt, SubscriptionSource, nonzero};
/// use ruststream_memory::{MemoryBroker, MemoryPosition, MemorySource, Retention};
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
///
/// let broker = MemoryBroker::retaining(Retention::Messages(nonzero!(16))).connect().await?;
/// let from_start = StartAt::new(MemorySource::new("parcels"), MemoryPosition::start());
/// let subscriber = from_start.subscribe(&broker).await?;
/// # drop(subscriber);
/// # Ok::<(), ruststream_memory::MemoryError>(())
/// # }).unwrap();
/// ```
#[derive(Debug, Clone)]
pub struct MemorySource {
    name: Cow<'static, str>,
}

impl MemorySource {
    /// Describes a subscription to `name`.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: Cow::Owned(name.into()),
        }
    }
}

impl FromName for MemorySource {
    fn from_name(name: impl Into<Cow<'static, str>>) -> Self {
        Self { name: name.into() }
    }
}

impl<Log: LogMode> SubscriptionSource<ConnectedMemoryBroker<Log>> for MemorySource {
    type Subscriber = MemorySubscriber<Log>;
    type Copies = AddressedCopies;

    fn name(&self) -> &str {
        &self.name
    }

    async fn subscribe(
        self,
        connected: &ConnectedMemoryBroker<Log>,
    ) -> Result<MemorySubscriber<Log>, MemoryError> {
        connected.open_name(&self.name)
    }
}

impl<Log: LogMode> RedeliveryAddressed<ConnectedMemoryBroker<Log>> for MemorySource {
    /// The name itself.
    async fn redelivery_address(
        &self,
        _connected: &ConnectedMemoryBroker<Log>,
    ) -> Result<RedeliveryAddress, MemoryError> {
        Ok(RedeliveryAddress::new(self.name.clone()))
    }
}

impl IntoSource for MemorySource {
    type Source = Self;

    fn into_source(self) -> Self {
        self
    }
}
