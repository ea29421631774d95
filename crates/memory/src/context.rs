//! What a handler can ask about its delivery on a retaining broker.

use ruststream_core::{BuildBatchContext, BuildContext, ContextField, Field, Positioned};

use crate::log_mode::Retaining;
use crate::message::MemoryMessage;
use crate::position::MemoryPosition;
use crate::seek::MemorySeeker;

/// The context of one delivery: its position, and the seeker of its subscription.
///
/// Read it with the keys [`Position`] and [`SeekHandle`]. Deliveries of a broker that keeps no log
/// have neither:
///
/// ```compile_fail,E0308
/// use ruststream_core::BuildContext;
/// use ruststream_memory::{Discarding, MemoryContext, MemoryMessage};
///
/// fn context(delivery: &MemoryMessage<Discarding>) -> MemoryContext {
///     MemoryContext::build(delivery)
/// }
/// ```
#[derive(Debug)]
pub struct MemoryContext {
    position: MemoryPosition,
    seeker: MemorySeeker,
}

impl BuildContext<MemoryMessage<Retaining>> for MemoryContext {
    fn build(msg: &MemoryMessage<Retaining>) -> Self {
        Self {
            position: msg.position(),
            seeker: msg.seeker(),
        }
    }
}

/// The context of a batch: the seeker of its subscription.
///
/// A batch has no position; read the seeker with the key [`SeekHandle`].
///
/// ```compile_fail,E0308
/// use ruststream_core::Field;
/// use ruststream_memory::{MemoryBatchContext, Position};
///
/// fn position(context: &MemoryBatchContext) {
///     Position.get(context);
/// }
/// ```
#[derive(Debug)]
pub struct MemoryBatchContext {
    seeker: MemorySeeker,
}

impl BuildBatchContext<MemoryMessage<Retaining>> for MemoryBatchContext {
    fn build(first: &MemoryMessage<Retaining>) -> Self {
        Self {
            seeker: first.seeker(),
        }
    }
}

/// The key of a delivery's position.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Position;

impl ContextField for Position {
    type Context = MemoryContext;
    type Value = MemoryPosition;

    fn read(self, src: &MemoryContext) -> MemoryPosition {
        src.position
    }
}

impl Field<MemoryContext> for Position {
    type Value<'a> = MemoryPosition;

    fn get(self, src: &MemoryContext) -> MemoryPosition {
        src.position
    }
}

/// The key of the seeker of the subscription, of a delivery or of a batch.
///
/// A seek from a handler acts on what comes next; the delivery in hand still has to be settled.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct SeekHandle;

impl ContextField for SeekHandle {
    type Context = MemoryContext;
    type Value = MemorySeeker;

    fn read(self, src: &MemoryContext) -> MemorySeeker {
        src.seeker.clone()
    }
}

impl Field<MemoryContext> for SeekHandle {
    type Value<'a> = &'a MemorySeeker;

    fn get(self, src: &MemoryContext) -> &MemorySeeker {
        &src.seeker
    }
}

impl Field<MemoryBatchContext> for SeekHandle {
    type Value<'a> = &'a MemorySeeker;

    fn get(self, src: &MemoryBatchContext) -> &MemorySeeker {
        &src.seeker
    }
}
