use std::sync::Arc;

use ruststream::{AddressedCopies, BufferedSubscriber, ConnectedBroker, DefaultPublish, Subscribe};
use tokio::time::timeout;

use crate::{ToyError, ToyPublish, ToyPublisher, ToySubscriber, broker::PATIENCE, link::Link};

/// A live connection to a toy server.
#[derive(Debug)]
pub struct ConnectedToy {
    pub(crate) link: Arc<Link>,
    #[cfg(feature = "testing")]
    pub(crate) shelf: Option<Arc<std::sync::Mutex<crate::shelf::Shelf>>>,
}

impl ConnectedToy {
    pub(crate) fn new(link: Arc<Link>) -> Self {
        Self {
            link,
            #[cfg(feature = "testing")]
            shelf: None,
        }
    }

    /// A publisher on this connection.
    #[must_use]
    pub fn publisher(&self) -> ToyPublisher {
        ToyPublisher(Arc::clone(&self.link))
    }
}

impl ConnectedBroker for ConnectedToy {
    type Error = ToyError;
    type Closed = ();

    async fn shutdown(self) -> Result<(), ToyError> {
        // Answers come in order: this one says that the server has done all that was asked before.
        let flushed = timeout(PATIENCE, self.link.call("PING".to_owned())).await;
        self.link.close();
        flushed.unwrap_or(Err(ToyError::Closed))
    }
}

impl Subscribe for ConnectedToy {
    type Subscriber = BufferedSubscriber<ToySubscriber>;
    type Copies = AddressedCopies;

    async fn subscribe(&self, name: &str) -> Result<Self::Subscriber, ToyError> {
        ToySubscriber::open(&self.link, name).await
    }
}

impl DefaultPublish for ConnectedToy {
    type Policy = ToyPublish;
}
