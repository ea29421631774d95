use std::fmt;

use async_nats::Message;
use ruststream::HeaderMap;

use super::headers::DeliveredHeaders;

/// A delivery from a Core subject. The server keeps nothing of it, so it cannot be settled.
pub struct CoreMessage {
    message: Message,
    headers: DeliveredHeaders,
    /// Counts the delivery for as long as it exists.
    #[cfg(feature = "testing")]
    _ticket: crate::in_process::Ticket,
}

impl CoreMessage {
    #[inline]
    pub(crate) fn new(message: Message) -> Self {
        Self {
            message,
            headers: DeliveredHeaders::default(),
            #[cfg(feature = "testing")]
            _ticket: crate::in_process::Ticket::uncounted(),
        }
    }

    #[cfg(feature = "testing")]
    pub(crate) fn counted(message: Message, ticket: crate::in_process::Ticket) -> Self {
        Self {
            message,
            headers: DeliveredHeaders::default(),
            _ticket: ticket,
        }
    }

    #[inline]
    pub(super) fn payload(&self) -> &[u8] {
        &self.message.payload
    }

    pub(super) fn headers(&self) -> &HeaderMap {
        self.headers.of(&self.message, true)
    }
}

impl fmt::Debug for CoreMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CoreMessage")
            .field("subject", &self.message.subject.as_str())
            .field("payload_len", &self.message.payload.len())
            .finish_non_exhaustive()
    }
}
