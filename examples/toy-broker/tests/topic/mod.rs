//! A descriptor, for what a name alone cannot say; whoever needs one can write it outside the crate.

use std::borrow::Cow;

use ruststream::runtime::IntoSource;
use ruststream::{AddressedCopies, BufferedSubscriber, FromName, RedeliveryAddress};
use ruststream::{RedeliveryAddressed, Subscribe, SubscriptionSource};
use toy_broker::{ConnectedToy, ToyError, ToySubscriber};

/// Describes a subscription to one topic.
#[derive(Debug, Clone)]
#[must_use]
pub(crate) struct ToyTopic(Cow<'static, str>);

impl FromName for ToyTopic {
    fn from_name(name: impl Into<Cow<'static, str>>) -> Self {
        Self(name.into())
    }
}

impl SubscriptionSource<ConnectedToy> for ToyTopic {
    type Subscriber = BufferedSubscriber<ToySubscriber>;
    type Copies = AddressedCopies;

    fn name(&self) -> &str {
        &self.0
    }

    async fn subscribe(self, connected: &ConnectedToy) -> Result<Self::Subscriber, ToyError> {
        Subscribe::subscribe(connected, &self.0).await
    }
}

impl RedeliveryAddressed<ConnectedToy> for ToyTopic {
    async fn redelivery_address(&self, _: &ConnectedToy) -> Result<RedeliveryAddress, ToyError> {
        Ok(RedeliveryAddress::new(self.0.clone()))
    }
}

impl IntoSource for ToyTopic {
    type Source = Self;

    fn into_source(self) -> Self {
        self
    }
}
