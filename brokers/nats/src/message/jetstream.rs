use std::fmt;
use std::sync::Arc;

use async_nats::{Message, Subject};
use ruststream::{AckError, HeaderMap};

use super::headers::DeliveredHeaders;
use crate::ack::{Answer, DeliveryInfo};
use crate::connection::Connection;
use crate::error::NatsError;
use crate::in_hand::Tracked;

/// A delivery from a consumer of a stream, settled on the server.
pub struct JetStreamMessage {
    /// NOTE: its reply subject is the ack subject.
    message: Message,
    headers: DeliveredHeaders,
    settle: Settle,
}

/// Where a settlement goes.
pub(crate) enum Settle {
    Live {
        connection: Arc<Connection>,
        /// Of an ephemeral consumer alone.
        tracked: Option<Box<Tracked>>,
    },
    #[cfg(feature = "testing")]
    InProcess(crate::in_process::Held),
}

// NATS-04
#[cfg(not(feature = "testing"))]
const _: () = assert!(size_of::<Settle>() == 2 * size_of::<usize>());

impl JetStreamMessage {
    #[inline]
    pub(crate) fn new(message: Message, settle: Settle) -> Self {
        Self {
            message,
            headers: DeliveredHeaders::default(),
            settle,
        }
    }

    /// What the ack subject tells; `None` if it cannot be read.
    pub(crate) fn delivered(&self) -> Option<DeliveryInfo<'_>> {
        self.message.reply.as_deref().and_then(DeliveryInfo::parse)
    }

    pub(crate) const fn ack_subject(&self) -> Option<&Subject> {
        self.message.reply.as_ref()
    }

    #[inline]
    pub(super) fn payload(&self) -> &[u8] {
        &self.message.payload
    }

    pub(super) fn headers(&self) -> &HeaderMap {
        self.headers.of(&self.message, false)
    }

    pub(super) fn redelivery_count(&self) -> Option<u64> {
        u64::try_from(self.delivered()?.delivered).ok()
    }

    pub(super) async fn settle(self, answer: Answer) -> Result<(), AckError> {
        match self.settle {
            Settle::Live {
                connection,
                tracked,
            } => {
                tell(&connection, self.message, answer).await?;
                if let Some(tracked) = tracked
                    && matches!(answer, Answer::Done | Answer::Never)
                {
                    tracked.settled();
                }
                Ok(())
            }
            #[cfg(feature = "testing")]
            Settle::InProcess(held) => held.settle(answer),
        }
    }
}

async fn tell(connection: &Connection, message: Message, answer: Answer) -> Result<(), AckError> {
    let refused = |error| AckError::Broker(Box::new(error));
    let Some(ack_subject) = message.reply else {
        return Err(AckError::Unsupported);
    };
    connection.ensure_open(&ack_subject).map_err(refused)?;
    let epoch = connection.epoch();
    let told = epoch.client().publish(ack_subject, answer.bytes()).await;
    told.map_err(|error| refused(NatsError::publish(error)))
}

impl fmt::Debug for JetStreamMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JetStreamMessage")
            .field("subject", &self.message.subject.as_str())
            .field("payload_len", &self.message.payload.len())
            .finish_non_exhaustive()
    }
}
