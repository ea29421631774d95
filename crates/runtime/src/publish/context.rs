//! What a transform may look at, by the kind of position it is mounted on.

use std::fmt;
use std::marker::PhantomData;

use ruststream_core::{Field, HeaderMap};

use crate::deliver::headers::DeliveryHeaders;

/// The kind of a publish position: [`ForReply`] or [`ForSlot`].
pub trait ContextKind {
    /// What a transform sees there.
    type View<'a>
    where
        Self: 'a;
}

/// A reply, batch reply or retry position of a handler whose delivery context is `C`.
#[derive(Debug, Clone, Copy, Default)]
pub struct ForReply<C = ()>(PhantomData<fn() -> C>);

impl<C> ContextKind for ForReply<C> {
    type View<'a>
        = PublishContext<'a, C>
    where
        Self: 'a;
}

/// An `Out` slot.
#[derive(Debug, Clone, Copy, Default)]
pub struct ForSlot;

impl ContextKind for ForSlot {
    type View<'a>
        = SlotContext<'a>
    where
        Self: 'a;
}

/// Headers that may still be unread. A trait object, so that the view's lifetime is free of the
/// delivery's own.
trait ReadHeaders: Sync {
    fn read(&self) -> &HeaderMap;
}

impl ReadHeaders for DeliveryHeaders<'_> {
    fn read(&self) -> &HeaderMap {
        self.get()
    }
}

impl ReadHeaders for HeaderMap {
    fn read(&self) -> &HeaderMap {
        self
    }
}

/// The delivery behind a reply or a copy, as a transform sees it.
///
/// On a reply the headers are the working copy the handler saw; on a retry position they are the
/// delivery's own; on a batch reply they are empty.
pub struct PublishContext<'a, C = ()> {
    name: &'a str,
    headers: &'a dyn ReadHeaders,
    context: &'a C,
}

impl<'a, C> PublishContext<'a, C> {
    /// A view over a map that exists already.
    #[doc(hidden)]
    #[must_use]
    pub fn from_map(name: &'a str, headers: &'a HeaderMap, cx: &'a C) -> Self {
        Self {
            name,
            headers,
            context: cx,
        }
    }

    /// A view whose headers are asked from the delivery only when a transform reads them.
    pub(crate) fn lazy(name: &'a str, headers: &'a DeliveryHeaders<'_>, cx: &'a C) -> Self {
        Self {
            name,
            headers,
            context: cx,
        }
    }

    /// The channel of the delivery; on a batch and on a retry position the subscription's name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.name
    }

    /// The headers of the delivery, asked from the broker on the first look.
    #[must_use]
    pub fn headers(&self) -> &HeaderMap {
        self.headers.read()
    }

    /// The field of the handler's delivery context under `key`.
    pub fn context<K: Field<C>>(&self, key: K) -> K::Value<'_> {
        key.get(self.context)
    }
}

impl<C> fmt::Debug for PublishContext<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PublishContext")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// The slot a message leaves through, as a transform sees it.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct SlotContext<'a> {
    slot: &'a str,
}

impl<'a> SlotContext<'a> {
    pub(crate) const fn new(slot: &'a str) -> Self {
        Self { slot }
    }

    /// The marker's name, [`OutSlot::NAME`](crate::slot::OutSlot::NAME).
    #[must_use]
    pub const fn slot(&self) -> &'a str {
        self.slot
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::publish::testkit::{Delivery, headers};

    struct Shard(u32);

    struct ShardKey;

    impl Field<Shard> for ShardKey {
        type Value<'a> = u32;

        fn get(self, src: &Shard) -> u32 {
            src.0
        }
    }

    // PUB-318, PUB-602
    #[test]
    fn the_deliverys_headers_are_asked_once_and_only_when_read() {
        let delivery = Delivery {
            headers: headers([("reply-to", "inbox")]),
            ..Delivery::default()
        };
        let lazy = DeliveryHeaders::of(&delivery);
        let view = PublishContext::lazy("parcels", &lazy, &());
        assert_eq!(
            (view.name(), *delivery.asked.lock().expect("unpoisoned")),
            ("parcels", 0)
        );

        assert_eq!(view.headers().reply_to(), Some("inbox"));
        assert_eq!(view.headers().len(), 1);

        assert_eq!(*delivery.asked.lock().expect("unpoisoned"), 1);
    }

    // PUB-602
    #[test]
    fn a_view_reads_the_handlers_map_and_its_context() {
        let map = headers([("tenant", "acme")]);
        let view = PublishContext::from_map("parcels", &map, &Shard(3));
        assert_eq!(view.headers(), &map);
        assert_eq!(view.context(ShardKey), 3);
        assert!(!format!("{view:?}").contains("acme"));
    }

    // PUB-603
    #[test]
    fn a_slot_view_carries_the_markers_name() {
        assert_eq!(SlotContext::new("Receipts").slot(), "Receipts");
    }
}
