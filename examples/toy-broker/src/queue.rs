use std::borrow::Cow;

use ruststream::runtime::IntoSource;
use ruststream::{AddressedCopies, BufferedSubscriber, FromName, RedeliveryAddress};
use ruststream::{RedeliveryAddressed, Subscribe, SubscriptionSource};

use crate::{ConnectedToy, ToyError, ToySubscriber};

/// Describes a subscription to one queue.
#[derive(Debug, Clone)]
#[must_use]
pub struct ToyQueue(Cow<'static, str>);

impl ToyQueue {
    /// The queue called `name`.
    pub fn new(name: impl Into<Cow<'static, str>>) -> Self {
        Self(name.into())
    }
}

impl SubscriptionSource<ConnectedToy> for ToyQueue {
    type Subscriber = BufferedSubscriber<ToySubscriber>;
    type Copies = AddressedCopies;

    fn name(&self) -> &str {
        &self.0
    }

    async fn subscribe(self, connected: &ConnectedToy) -> Result<Self::Subscriber, ToyError> {
        Subscribe::subscribe(connected, &self.0).await
    }
}

impl RedeliveryAddressed<ConnectedToy> for ToyQueue {
    async fn redelivery_address(&self, _: &ConnectedToy) -> Result<RedeliveryAddress, ToyError> {
        Ok(RedeliveryAddress::new(self.0.clone()))
    }
}

impl FromName for ToyQueue {
    fn from_name(name: impl Into<Cow<'static, str>>) -> Self {
        Self::new(name)
    }
}

impl IntoSource for ToyQueue {
    type Source = Self;

    fn into_source(self) -> Self {
        self
    }
}
