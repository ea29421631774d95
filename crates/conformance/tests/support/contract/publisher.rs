use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use ruststream_core::{
    AckError, DefaultPublish, HeaderMap, IncomingMessage, Lend, OutgoingMessage, OwnedTransactions,
    PairError, PublishPolicy, Publisher, RequestReply, Transaction, TransactionalPublisher,
};

use super::super::honest::{Link, Sender, ToyError};
use super::super::twist::Twist;
use super::super::world::Letter;
use super::ConnectedToy;
use super::broker::letter_of;

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct ToyOptions {
    pub(crate) urgency: Option<u8>,
}

/// The policy: how urgent a message is that says nothing.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ToyPublish {
    pub(crate) urgency: u8,
}

impl PublishPolicy<ConnectedToy> for ToyPublish {
    type Live = ToyPublisher;

    async fn pair(self, connected: &ConnectedToy) -> Result<ToyPublisher, PairError> {
        Ok(connected.publisher_of(self.urgency))
    }
}

impl DefaultPublish for ConnectedToy {
    type Policy = ToyPublish;
}

pub(crate) struct ToyPublisher {
    pub(super) sender: Sender,
    pub(super) twist: Arc<dyn Twist>,
    pub(super) urgency: u8,
}

impl fmt::Debug for ToyPublisher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.twist.shown("ToyPublisher"))
    }
}

impl Publisher for ToyPublisher {
    type Payload = Lend;
    type Error = ToyError;
    type Options = ToyOptions;

    async fn publish(
        &self,
        message: OutgoingMessage<'_>,
        options: Option<&ToyOptions>,
    ) -> Result<(), ToyError> {
        let call = options.and_then(|options| options.urgency);
        let urgency = self.twist.urgency(self.urgency, call)?;
        let letter = Letter {
            urgency,
            ..letter_of(message)
        };
        self.twist.publish(&self.sender, letter).await
    }
}

impl TransactionalPublisher for ToyPublisher {
    async fn begin_transaction(&self) -> Result<(), ToyError> {
        self.twist.begin(&self.sender).await
    }

    async fn commit(&self) -> Result<(), ToyError> {
        self.twist.commit(&self.sender).await
    }

    async fn abort(&self) -> Result<(), ToyError> {
        self.twist.abort(&self.sender).await
    }
}

impl OwnedTransactions for ToyPublisher {
    type Transaction = ToyTransaction;

    async fn transaction(&self) -> Result<ToyTransaction, ToyError> {
        self.twist.open_owned(&self.sender.link).await?;
        Ok(ToyTransaction {
            link: self.sender.link.clone(),
            twist: Arc::clone(&self.twist),
            letters: Vec::new(),
        })
    }
}

pub(crate) struct ToyTransaction {
    link: Link,
    twist: Arc<dyn Twist>,
    letters: Vec<Letter>,
}

impl Transaction for ToyTransaction {
    type Payload = Lend;
    type Error = ToyError;
    type Options = ToyOptions;

    async fn publish(
        &mut self,
        message: OutgoingMessage<'_>,
        _options: Option<&ToyOptions>,
    ) -> Result<(), ToyError> {
        self.letters.push(letter_of(message));
        Ok(())
    }

    async fn commit(self) -> Result<(), ToyError> {
        self.twist.commit_owned(&self.link, self.letters).await
    }

    async fn abort(self) -> Result<(), ToyError> {
        Ok(())
    }
}

impl RequestReply for ToyPublisher {
    type Reply = ToyReply;

    async fn request(
        &self,
        message: OutgoingMessage<'_>,
        timeout: Duration,
    ) -> Result<ToyReply, ToyError> {
        let asking = self
            .twist
            .request(&self.sender, letter_of(message), timeout);
        asking.await.map(ToyReply)
    }
}

/// A reply, behind which no subscription stands.
pub(crate) struct ToyReply(Arc<Letter>);

impl IncomingMessage for ToyReply {
    fn payload(&self) -> &[u8] {
        &self.0.payload
    }

    fn headers(&self) -> &HeaderMap {
        &self.0.headers
    }

    async fn ack(self) -> Result<(), AckError> {
        Ok(())
    }

    async fn nack(self, _requeue: bool) -> Result<(), AckError> {
        Ok(())
    }
}
