use std::sync::Arc;

use ruststream::{DefaultPublish, Lend, OutgoingMessage, PairError, PublishPolicy, Publisher};

use crate::{ConnectedToy, ToyError, link::Link, wire};

/// Publishes to topics.
#[derive(Debug, Clone)]
pub struct ToyPublisher(Arc<Link>);

impl ConnectedToy {
    /// A publisher on this connection.
    pub fn publisher(&self) -> ToyPublisher {
        ToyPublisher(Arc::clone(&self.0))
    }
}

impl Publisher for ToyPublisher {
    // The line holds a copy of the payload in any case.
    type Payload = Lend;
    type Error = ToyError;
    type Options = ();

    async fn publish(&self, msg: OutgoingMessage<'_>, _: Option<&()>) -> Result<(), ToyError> {
        let topic = wire::word(msg.name());
        let letter = wire::letter(msg.payload(), msg.headers());
        self.0.call(format!("PUB {topic} {letter}")).await
    }
}

/// The plain policy, which the prelude calls `Publish`.
#[derive(Debug, Clone, Copy, Default)]
#[must_use]
pub struct ToyPublish;

impl PublishPolicy<ConnectedToy> for ToyPublish {
    type Live = ToyPublisher;

    async fn pair(self, connected: &ConnectedToy) -> Result<ToyPublisher, PairError> {
        Ok(connected.publisher())
    }
}

impl DefaultPublish for ConnectedToy {
    type Policy = ToyPublish;
}
