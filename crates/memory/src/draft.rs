//! A message on its way in.

use std::mem;
use std::sync::Arc;

use bytes::BytesMut;
use ruststream_core::HeaderMap;

use crate::block::Block;
use crate::entry::Message;
use crate::name::Name;

/// What a publisher handed over; it gets its name, and is shared, only if someone is there for it.
pub(crate) struct Draft {
    parts: (BytesMut, HeaderMap),
    block: Option<Arc<Block>>,
}

impl Draft {
    #[inline]
    pub(crate) const fn new(payload: BytesMut, headers: HeaderMap) -> Self {
        Self {
            parts: (payload, headers),
            block: None,
        }
    }

    /// A message whose block exists: buffered by a transaction.
    pub(crate) fn made(block: Arc<Block>) -> Self {
        Self {
            parts: <_>::default(),
            block: Some(block),
        }
    }

    /// One more holder of the message.
    pub(crate) fn share(&mut self, name: impl FnOnce() -> Name) -> Arc<Block> {
        let block = match self.take(name) {
            Message::Own(block) => Arc::new(block),
            Message::Shared(block) => block,
        };
        self.block = Some(Arc::clone(&block));
        block
    }

    /// The last holder of the message; without others it is the only one.
    pub(crate) fn take(&mut self, name: impl FnOnce() -> Name) -> Message {
        if let Some(block) = self.block.take() {
            return Message::Shared(block);
        }
        let (payload, headers) = mem::take(&mut self.parts);
        Message::Own(Block {
            name: name(),
            payload,
            headers,
        })
    }
}
