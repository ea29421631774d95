use std::fmt;
use std::time::Duration;

use async_nats::StatusCode;
use ruststream::{
    BytesMut, OutgoingMessage, PairError, PublishPolicy, Publisher, RequestReply, Take,
};
use tokio::time::timeout;

use super::{NatsPublishPolicy, destination, frame};
use crate::connected::ConnectedNatsBroker;
use crate::connection::Connection;
use crate::error::NatsError;
use crate::link::Link;
use crate::message::headers::outbound;
use crate::message::{CoreMessage, NatsMessage};
use crate::sealed::Sealed;

/// Publishes over Core, and makes requests: the policy of a [`NatsPublisher`].
///
/// It is the broker's default, for replies, retry copies and dead letters too. The prelude calls it
/// `Publish`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[must_use]
pub struct NatsPublish;

impl Sealed for NatsPublish {}

impl NatsPublishPolicy for NatsPublish {
    fn bind(self, connected: &ConnectedNatsBroker) -> NatsPublisher {
        NatsPublisher {
            link: connected.link().clone(),
        }
    }
}

impl PublishPolicy<ConnectedNatsBroker> for NatsPublish {
    type Live = NatsPublisher;

    async fn pair(self, connected: &ConnectedNatsBroker) -> Result<NatsPublisher, PairError> {
        Ok(self.bind(connected))
    }

    #[cfg(feature = "asyncapi")]
    fn reply_address_location(&self) -> Option<&'static str> {
        Some("$message.header#/reply-to")
    }
}

/// Publishes to Core subjects.
///
/// `Ok` says that the client took the frame; it does not say that the server has it, nor that
/// anybody listens. While the connection is down the client queues frames, and a publish waits once
/// its queue is full. A publish that the account may not make is `Ok` as well: the server reports it
/// to the client's event callback alone.
///
/// # Errors
///
/// [`NatsError::Publish`] before anything is sent: a destination that is empty, has whitespace or is too long, a
/// header that the protocol cannot carry, payload and headers above the server's limit, which the
/// error states. [`NatsError::Closed`] after shutdown.
///
/// # Cancel safety
///
/// A publish dropped before it is ready was sent or not.
#[derive(Clone)]
pub struct NatsPublisher {
    link: Link,
}

// NATS-04
#[cfg(not(feature = "testing"))]
const _: () = assert!(size_of::<NatsPublisher>() == size_of::<usize>());

impl Publisher for NatsPublisher {
    type Payload = Take;
    type Error = NatsError;
    type Options = ();

    #[inline]
    async fn publish(
        &self,
        msg: OutgoingMessage<'_, BytesMut>,
        _options: Option<&()>,
    ) -> Result<(), NatsError> {
        let (name, payload, headers) = msg.into_parts();
        match &self.link {
            Link::Live(connection) => {
                connection.ensure_open(name)?;
                let (subject, headers) = (destination(name)?, outbound(&headers)?);
                // NOTE: a frame is large, and each call that it passes through copies it; so the
                // client is called here, and makes it.
                let (epoch, payload) = (connection.epoch(), payload.freeze());
                let sent = match headers {
                    None => epoch.client().publish(subject, payload).await,
                    Some(headers) => {
                        let sent = epoch.client();
                        sent.publish_with_headers(subject, headers, payload).await
                    }
                };
                sent.map_err(NatsError::publish)
            }
            #[cfg(feature = "testing")]
            Link::InProcess(bus) => bus.publish(name, payload.freeze(), &headers),
        }
    }
}

impl RequestReply for NatsPublisher {
    type Reply = NatsMessage;

    /// Publishes with a reply subject of its own and resolves with the first message there.
    ///
    /// `timeout` covers the whole call. A late reply reaches nobody. A request to a subject that a
    /// stream stores is answered by the stream, with its acknowledgement in JSON, which cannot be
    /// told from a responder's answer.
    ///
    /// # Errors
    ///
    /// [`NatsError::RequestTimeout`] once `timeout` has passed. [`NatsError::Publish`] at once if
    /// nobody is subscribed ("no responders"), and for what a publish refuses.
    /// [`NatsError::Closed`] after shutdown.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future gives the reply up; the request may have been sent.
    async fn request(
        &self,
        msg: OutgoingMessage<'_, BytesMut>,
        timeout: Duration,
    ) -> Result<NatsMessage, NatsError> {
        let (name, payload, headers) = msg.into_parts();
        match &self.link {
            Link::Live(connection) => {
                connection.ensure_open(name)?;
                let frame = frame(name, payload.freeze(), outbound(&headers)?)?;
                request(connection, frame, timeout).await
            }
            #[cfg(feature = "testing")]
            Link::InProcess(bus) => bus.request(name, payload.freeze(), &headers, timeout).await,
        }
    }
}

async fn request(
    connection: &Connection,
    frame: async_nats::message::OutboundMessage,
    limit: Duration,
) -> Result<NatsMessage, NatsError> {
    let answer = timeout(limit, connection.ask(frame)).await;
    let answer = answer.map_err(|_elapsed| NatsError::RequestTimeout)??;
    let Some(reply) = answer else {
        return Err(NatsError::publish(
            "the connection ended before a reply came",
        ));
    };
    if reply.status == Some(StatusCode::NO_RESPONDERS) {
        return Err(NatsError::publish(
            "no responders: nobody is subscribed to the subject",
        ));
    }
    Ok(NatsMessage::Core(Box::new(CoreMessage::new(reply))))
}

impl fmt::Debug for NatsPublisher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NatsPublisher").finish_non_exhaustive()
    }
}
