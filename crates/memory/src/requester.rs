//! Requests: a publish and the first reply to it.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use ruststream_core::{BytesMut, OutgoingMessage, Publisher, RequestReply, Str, Take};
use tokio::time;

use crate::bus::Bus;
use crate::error::RequestError;
use crate::inbox::Inbox;
use crate::log_mode::Discarding;
use crate::message::MemoryMessage;
use crate::sender::Sender;

/// Publishes requests and waits for their replies; plain publishes go through it as well.
///
/// A request carries the name of an inbox of its own in the header `reply-to`. A responder
/// publishes its answer there; the first message to arrive is the reply.
///
/// ```
/// use std::time::Duration;
///
/// use futures_util::StreamExt;
/// use ruststream_core::{IncomingMessage, OutgoingMessage, Publisher, RequestReply, Subscriber};
/// use ruststream_memory::MemoryBroker;
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
///
/// let broker = MemoryBroker::new();
/// let mut questions = broker.subscribe("questions");
/// let (requester, publisher) = (broker.requester(), broker.publisher());
///
/// let ask = requester.request(OutgoingMessage::new("questions", b"?"), Duration::from_secs(1));
/// let answer = async {
///     let question = questions.stream().next().await.expect("queued").expect("infallible");
///     let inbox = question.headers().reply_to().expect("set by the request");
///     publisher.publish(OutgoingMessage::new(inbox, b"42"), None).await
/// };
/// let (reply, answered) = tokio::join!(ask, answer);
/// assert_eq!(reply?.payload(), b"42");
/// # answered?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
#[derive(Clone)]
pub struct MemoryRequester {
    sender: Sender,
}

impl MemoryRequester {
    pub(crate) const fn new(bus: Arc<Bus>) -> Self {
        Self {
            sender: Sender::new(bus),
        }
    }
}

impl Publisher for MemoryRequester {
    type Payload = Take;
    type Error = RequestError;
    type Options = ();

    /// Publishes without an inbox, as a [`MemoryPublisher`](crate::MemoryPublisher) does.
    async fn publish(
        &self,
        msg: OutgoingMessage<'_, BytesMut>,
        _options: Option<&()>,
    ) -> Result<(), RequestError> {
        let (name, payload, headers) = msg.into_parts();
        Ok(self.sender.send(name, payload, headers)?)
    }
}

impl RequestReply for MemoryRequester {
    type Reply = MemoryMessage<Discarding>;

    /// Publishes `msg` with a fresh inbox as its `reply-to` and waits for the first reply.
    ///
    /// No subscription stands behind the reply: every settlement of it is `Ok` and does nothing.
    ///
    /// # Errors
    ///
    /// [`RequestError::Timeout`] if nothing arrived within `timeout`, which at zero is what has not
    /// arrived by the time the publish is done. [`RequestError::ShutDown`], at once, on a bus that is
    /// shut down or that is shut down meanwhile.
    ///
    /// # Panics
    ///
    /// If it has to wait outside a Tokio runtime with time enabled.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future closes the inbox. A request that was polled has been published.
    async fn request(
        &self,
        msg: OutgoingMessage<'_, BytesMut>,
        timeout: Duration,
    ) -> Result<MemoryMessage<Discarding>, RequestError> {
        let (subject, payload, mut headers) = msg.into_parts();
        let mut inbox = Inbox::open(self.sender.bus())?;
        headers.insert(Str::from_static("reply-to"), inbox.address());
        self.sender.send(subject, payload, headers)?;
        let reply = if timeout.is_zero() {
            inbox.arrived()?
        } else {
            time::timeout(timeout, inbox.reply())
                .await
                .ok()
                .transpose()?
        };
        reply
            .map(MemoryMessage::reply)
            .ok_or_else(|| RequestError::Timeout {
                subject: subject.to_owned(),
                timeout,
            })
    }
}

impl fmt::Debug for MemoryRequester {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryRequester").finish_non_exhaustive()
    }
}
