//! How a mount publishes on this broker.

use ruststream_core::{PairError, PublishPolicy};

use crate::connected::ConnectedMemoryBroker;
use crate::log_mode::LogMode;
use crate::publisher::MemoryPublisher;
use crate::requester::MemoryRequester;

/// The policy of a [`MemoryPublisher`]: publishes and transactions.
///
/// It is the broker's default; the prelude calls it `Publish` and `TransactionalPublish`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[must_use]
pub struct MemoryPublish;

impl<Log: LogMode> PublishPolicy<ConnectedMemoryBroker<Log>> for MemoryPublish {
    type Live = MemoryPublisher;

    async fn pair(
        self,
        connected: &ConnectedMemoryBroker<Log>,
    ) -> Result<MemoryPublisher, PairError> {
        Ok(connected.publisher())
    }
}

/// The policy of a [`MemoryRequester`]: publishes and requests.
///
/// The prelude calls it `Request`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[must_use]
pub struct MemoryRequest;

impl<Log: LogMode> PublishPolicy<ConnectedMemoryBroker<Log>> for MemoryRequest {
    type Live = MemoryRequester;

    async fn pair(
        self,
        connected: &ConnectedMemoryBroker<Log>,
    ) -> Result<MemoryRequester, PairError> {
        Ok(connected.requester())
    }
}
