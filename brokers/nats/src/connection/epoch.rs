//! One client of the connection, and what belongs to it: an epoch, which ends with that client.

use std::sync::{Arc, OnceLock};

use async_nats::SubscribeError;
use async_nats::client::PublishError;
use async_nats::client::traits::Publisher as _;
use async_nats::jetstream::{self, Context};
use async_nats::message::OutboundMessage;
use async_nats::{Client, Message, Statistics};
use tokio::runtime::Handle;
use tokio::sync::OnceCell;

use super::replies::Replies;
use super::subscription::Subscription;
use crate::error::NatsError;

/// NOTE: a client that reconnects by itself is still in the same epoch.
pub(crate) struct Epoch {
    pub(super) number: u64,
    pub(super) client: Client,
    pub(super) statistics: Arc<Statistics>,
    pub(super) replies: OnceCell<Replies>,
    jetstream: OnceLock<Context>,
}

impl Epoch {
    pub(super) fn new(number: u64, client: Client) -> Self {
        Self {
            number,
            statistics: client.statistics(),
            client,
            replies: OnceCell::new(),
            jetstream: OnceLock::new(),
        }
    }

    /// Which epoch this is; a later one has a greater number.
    pub(crate) const fn number(&self) -> u64 {
        self.number
    }

    pub(crate) const fn client(&self) -> &Client {
        &self.client
    }

    /// How often this epoch's client has connected so far.
    pub(crate) fn connects(&self) -> u64 {
        self.statistics
            .connects
            .load(std::sync::atomic::Ordering::Relaxed)
    }

    /// The client's context spawns a task, on `runtime` if there is one.
    pub(super) fn jetstream(&self, runtime: Option<&Handle>) -> &Context {
        self.jetstream.get_or_init(|| {
            let _entered = runtime.map(Handle::enter);
            jetstream::new(self.client.clone())
        })
    }

    /// Hands a frame to the client's writer.
    #[inline]
    pub(crate) fn send(
        &self,
        frame: OutboundMessage,
    ) -> impl Future<Output = Result<(), PublishError>> + Send {
        self.client.publish_message(frame)
    }

    pub(super) async fn subscribe(
        &self,
        subject: &str,
        group: Option<&str>,
        runtime: Option<Handle>,
    ) -> Result<Subscription, SubscribeError> {
        let subject = subject.to_owned();
        let opened = match group {
            Some(group) => self.client.queue_subscribe(subject, group.to_owned()).await,
            None => self.client.subscribe(subject).await,
        };
        Ok(Subscription::new(opened?, runtime))
    }
}

/// Sends `frame` with a reply subject of its own and waits for the first reply.
///
/// `Ok(None)` if the epoch ended first.
pub(super) async fn ask(
    epoch: &Epoch,
    replies: &Replies,
    mut frame: OutboundMessage,
) -> Result<Option<Message>, NatsError> {
    let (reply, expected) = replies.expect();
    frame.reply = Some(reply);
    epoch.send(frame).await.map_err(NatsError::publish)?;
    Ok(expected.reply().await)
}
