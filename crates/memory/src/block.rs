//! The one shared block of a message (CORE-265).

use std::sync::Arc;

use bytes::BytesMut;
use ruststream_core::{HeaderMap, OutgoingMessage};

use crate::name::Name;

/// What every copy of a message, its log entry and its redeliveries share behind one count.
///
/// The payload stays the buffer that the publisher handed over: freezing it would cost a second
/// block whenever the buffer has room to spare.
pub(crate) struct Block {
    pub(crate) name: Name,
    pub(crate) payload: BytesMut,
    pub(crate) headers: HeaderMap,
}

impl Block {
    /// The block of a message that waits in a transaction.
    pub(crate) fn of(message: OutgoingMessage<'_, BytesMut>) -> Arc<Self> {
        let (name, payload, headers) = message.into_parts();
        Arc::new(Self {
            name: Name::new(name),
            payload,
            headers,
        })
    }
}
