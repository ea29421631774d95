//! A message on its way in.

use std::mem;
use std::sync::Arc;

use bytes::BytesMut;
use ruststream_core::HeaderMap;

use crate::block::Block;
use crate::name::Name;

/// What a publisher handed over; it becomes a block only if someone is there to get it.
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

    /// A message whose block exists: buffered by a transaction, or made for a route that changed.
    pub(crate) fn made(block: Arc<Block>) -> Self {
        Self {
            parts: <_>::default(),
            block: Some(block),
        }
    }

    /// One more holder of the block.
    pub(crate) fn share(&mut self, name: impl FnOnce() -> Name) -> Arc<Block> {
        let block = self.take(name);
        self.block = Some(Arc::clone(&block));
        block
    }

    /// The last holder of the block.
    pub(crate) fn take(&mut self, name: impl FnOnce() -> Name) -> Arc<Block> {
        self.block.take().unwrap_or_else(|| {
            let (payload, headers) = mem::take(&mut self.parts);
            let name = name();
            Arc::new(Block {
                name,
                payload,
                headers,
            })
        })
    }
}
