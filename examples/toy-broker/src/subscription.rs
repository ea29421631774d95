use std::{sync::Arc, time::Duration};

use futures_util::{Stream, stream};
use ruststream::{AckError, AddressedCopies, BufferedSubscriber, HeaderMap};
use ruststream::{IncomingMessage, Subscribe, Subscriber};
use tokio::sync::mpsc::UnboundedReceiver;

use crate::{ConnectedToy, ToyError, link::Link, wire};

impl Subscribe for ConnectedToy {
    type Subscriber = BufferedSubscriber<ToySubscriber>;
    type Copies = AddressedCopies;

    async fn subscribe(&self, name: &str) -> Result<Self::Subscriber, ToyError> {
        let subscriber = self.0.open();
        let frame = format!("SUB {} {}", subscriber.reader, wire::word(name));
        self.0.call(frame).await?;
        Ok(BufferedSubscriber::new(subscriber).max_wait(Duration::from_millis(20)))
    }
}

/// An open subscription.
#[derive(Debug)]
pub struct ToySubscriber {
    pub(crate) link: Arc<Link>,
    pub(crate) reader: String,
    pub(crate) messages: UnboundedReceiver<ToyMessage>,
}

impl Subscriber for ToySubscriber {
    type Message = ToyMessage;
    type Error = ToyError;

    fn stream(&mut self) -> impl Stream<Item = Result<ToyMessage, ToyError>> + Send + '_ {
        stream::poll_fn(|cx| self.messages.poll_recv(cx).map(|message| message.map(Ok)))
    }
}

impl Drop for ToySubscriber {
    fn drop(&mut self) {
        drop(self.link.send(format!("UNSUB {}", self.reader)));
    }
}

/// A delivery; dropped unsettled, it goes back to the end of its subscription.
#[derive(Debug)]
pub struct ToyMessage {
    pub(crate) link: Arc<Link>,
    pub(crate) id: Option<String>,
    pub(crate) payload: Vec<u8>,
    pub(crate) headers: HeaderMap,
}

impl ToyMessage {
    async fn settle(mut self, verb: &str) -> Result<(), AckError> {
        let id = self.id.take().unwrap_or_default();
        let settled = self.link.call(format!("{verb} {id}")).await;
        settled.map_err(AckError::broker)
    }
}

impl IncomingMessage for ToyMessage {
    fn payload(&self) -> &[u8] {
        &self.payload
    }

    fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    async fn ack(self) -> Result<(), AckError> {
        self.settle("ACK").await
    }

    async fn nack(self, requeue: bool) -> Result<(), AckError> {
        self.settle(if requeue { "REQUEUE" } else { "DROP" }).await
    }
}

impl Drop for ToyMessage {
    fn drop(&mut self) {
        if let Some(id) = self.id.take() {
            drop(self.link.send(format!("REQUEUE {id}")));
        }
    }
}
