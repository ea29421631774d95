use std::fmt;
use std::time::Duration;

use async_nats::StatusCode;
use async_nats::jetstream::context::PublishErrorKind;
use async_nats::jetstream::publish::PublishAck;
use async_nats::jetstream::response::Response;
use async_nats::message::OutboundMessage;
#[cfg(feature = "asyncapi")]
use ruststream::asyncapi::Bindings;
use ruststream::{BytesMut, OutgoingMessage, PairError, PublishPolicy, Publisher, Take};
use tokio::time::timeout;

use super::{JetStreamOptions, NatsPublishPolicy, frame, options};
use crate::connected::ConnectedNatsBroker;
use crate::connection::Connection;
use crate::error::NatsError;
use crate::link::Link;
use crate::message::headers::outbound;
use crate::sealed::Sealed;

/// How long a stream may take to acknowledge a message.
const ACK_LIMIT: Duration = Duration::from_secs(5);

/// Publishes to streams: the policy of a [`JetStreamPublisher`].
///
/// ```
/// use ruststream_nats::JetStreamPublish;
///
/// let booked = JetStreamPublish::default().expect_stream("BOOKED");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[must_use]
pub struct JetStreamPublish {
    stream: Option<String>,
}

impl JetStreamPublish {
    /// Publishes only to subjects that `stream` stores.
    pub fn expect_stream(mut self, stream: impl Into<String>) -> Self {
        self.stream = Some(stream.into());
        self
    }
}

impl Sealed for JetStreamPublish {}

impl NatsPublishPolicy for JetStreamPublish {
    fn bind(self, connected: &ConnectedNatsBroker) -> JetStreamPublisher {
        JetStreamPublisher {
            policy: self,
            link: connected.link().clone(),
        }
    }
}

impl PublishPolicy<ConnectedNatsBroker> for JetStreamPublish {
    type Live = JetStreamPublisher;

    async fn pair(self, connected: &ConnectedNatsBroker) -> Result<JetStreamPublisher, PairError> {
        Ok(self.bind(connected))
    }

    #[cfg(feature = "asyncapi")]
    fn channel_bindings(&self, channel: &str) -> Bindings {
        crate::asyncapi::stored(self.stream.as_deref(), channel)
    }
}

/// Publishes to streams and waits until the message is stored.
///
/// It makes no requests: the reply to a publish is the stream's acknowledgement, and the reply
/// subject of a JetStream delivery is where it is settled.
///
/// # Errors
///
/// The variant tells whether the message was sent. [`NatsError::JetStream`]: no stream stores the
/// subject, an expectation is not met, the stream is full or takes no message of that size, or no
/// acknowledgement came within 5 s. The client's
/// [`PublishError`](async_nats::jetstream::context::PublishError) is the source and its kind tells
/// these apart. [`NatsError::Publish`]: what a [`NatsPublisher`](crate::NatsPublisher) refuses
/// before it sends. [`NatsError::Closed`] after shutdown.
///
/// # Cancel safety
///
/// None: a publish dropped before it is ready may be stored or not. Give it a
/// [`message_id`](crate::JetStreamPublishSteps::message_id) to be able to repeat it.
#[derive(Clone)]
pub struct JetStreamPublisher {
    policy: JetStreamPublish,
    link: Link,
}

impl JetStreamPublisher {
    /// Publishes, and answers with the stream's acknowledgement.
    ///
    /// A repeated message id within the stream's window is `Ok` too, with `duplicate` set and the
    /// sequence of the message stored first. `None` for `options` asks what the policy says alone.
    pub async fn publish_ack(
        &self,
        msg: OutgoingMessage<'_, BytesMut>,
        options: Option<&JetStreamOptions>,
    ) -> Result<PublishAck, NatsError> {
        let (name, payload, headers) = msg.into_parts();
        let stream = self.policy.stream.as_deref();
        match &self.link {
            Link::Live(connection) => {
                connection.ensure_open(name)?;
                let mut headers = outbound(&headers)?;
                options::ask(&mut headers, stream, options)?;
                store(connection, frame(name, payload.freeze(), headers)?).await
            }
            #[cfg(feature = "testing")]
            Link::InProcess(bus) => {
                bus.ensure_open(name)?;
                let mut headers = outbound(&headers)?;
                options::ask(&mut headers, stream, options)?;
                bus.store(frame(name, payload.freeze(), headers)?, stream)
            }
        }
    }
}

async fn store(connection: &Connection, frame: OutboundMessage) -> Result<PublishAck, NatsError> {
    let Ok(answer) = timeout(ACK_LIMIT, connection.ask(frame)).await else {
        return Err(NatsError::unanswered_by_stream(PublishErrorKind::TimedOut));
    };
    let Some(answer) = answer? else {
        return Err(NatsError::unanswered_by_stream(
            PublishErrorKind::BrokenPipe,
        ));
    };
    if answer.status == Some(StatusCode::NO_RESPONDERS) {
        return Err(NatsError::unanswered_by_stream(
            PublishErrorKind::StreamNotFound,
        ));
    }
    match serde_json::from_slice(&answer.payload).map_err(NatsError::jetstream)? {
        Response::Ok(ack) => Ok(ack),
        Response::Err { error } => Err(NatsError::refused_by_stream(error)),
    }
}

impl Publisher for JetStreamPublisher {
    type Payload = Take;
    type Error = NatsError;
    type Options = JetStreamOptions;

    /// As [`publish_ack`](Self::publish_ack), without the acknowledgement.
    async fn publish(
        &self,
        msg: OutgoingMessage<'_, BytesMut>,
        options: Option<&JetStreamOptions>,
    ) -> Result<(), NatsError> {
        self.publish_ack(msg, options).await.map(drop)
    }
}

impl fmt::Debug for JetStreamPublisher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JetStreamPublisher")
            .field("policy", &self.policy)
            .finish_non_exhaustive()
    }
}
