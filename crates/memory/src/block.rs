//! A message: its name, its payload and its headers in one place (CORE-265).

use std::sync::Arc;

use bytes::BytesMut;
use ruststream_core::{HeaderMap, OutgoingMessage};

use crate::name::Name;

/// What a delivery borrows from, and what the copies of a message and its log entry share behind one
/// count where there are several.
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
