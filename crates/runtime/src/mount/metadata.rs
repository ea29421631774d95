//! The record of a registration, complete at the mount (RUN-464).

use std::any::type_name;
use std::borrow::Cow;

use ruststream_core::{ConnectedBroker, OutgoingDestination, SubscriptionSource};

use super::settings::SubscriberBuilder;
use crate::definition::{AxisDocs, Definition, Docs, HandleValue, ReplyValue, Sealed};
use crate::docs::{HandlerMetadata, OutgoingKind, OutgoingMessageMetadata};
use crate::input::{Axis, LaneCodec, LaneInput};
use crate::reply::{ReplyDest, ReplyItem, ReplyShape, WireDocs};
use crate::settle::RetryPlanned;
use crate::slot::{EntryMarkers, Outs};

/// A bound definition that can describe its registration.
#[doc(hidden)]
pub trait Described<Conn, Surface, Ret> {
    /// The record.
    fn metadata(&self, retry: &Ret) -> HandlerMetadata;
}

impl<D, Src, Sett, DC, Conn, Surface, Ret> Described<Conn, Surface, Ret>
    for SubscriberBuilder<D, Src, Sett, DC>
where
    Conn: ConnectedBroker,
    D: Definition<Axis: LaneCodec<DC, Surface> + LaneInput, Doc: AxisDocs<D::Axis>> + Publishes,
    Src: SubscriptionSource<Conn>,
    Ret: RetryPlanned,
{
    fn metadata(&self, retry: &Ret) -> HandlerMetadata {
        let docs = self.def.docs();
        let mut record = HandlerMetadata::raw(self.source.name().to_owned());
        record.input_type = D::Axis::input_type();
        record.deserialized = D::Axis::DESERIALIZED;
        record.content_type = <D::Axis as LaneCodec<DC, Surface>>::CONTENT_TYPE;
        record.incoming = D::Axis::incoming();
        record.description.clone_from(&docs.description);
        record.retry = retry.declaration();
        match &docs.probed {
            Some(probed) => {
                record.payload_schema.clone_from(&probed.input_schema);
                record.headers_schema.clone_from(&probed.headers_schema);
                record.message_name = probed.message_name.map(Cow::Borrowed);
                record.message_description = probed.message_description.map(Cow::Borrowed);
            }
            None => {
                record.payload_schema = <D::Doc as AxisDocs<D::Axis>>::payload_schema();
                record.headers_schema = <D::Doc as AxisDocs<D::Axis>>::headers_schema();
            }
        }
        record.output_type = self.def.output_type();
        record.outgoing = match docs.probed.as_ref().and_then(|probed| probed.outgoing.clone()) {
            Some(outgoing) => outgoing,
            None => self.def.publishes(),
        };
        let copies = copies(&record, retry);
        record.outgoing.extend(copies);
        record
    }
}

/// RUN-355: a named retry destination and a dead letter are messages of the input's type.
fn copies<Ret: RetryPlanned>(record: &HandlerMetadata, retry: &Ret) -> Vec<OutgoingMessageMetadata> {
    let named = [
        (retry.dead_letter(), OutgoingKind::DeadLetter),
        (retry.destination(), OutgoingKind::RetryCopy),
    ];
    named
        .into_iter()
        .filter_map(|(channel, kind)| Some((channel?.clone(), kind)))
        .map(|(channel, kind)| {
            OutgoingMessageMetadata::new(channel, record.input_type)
                .with_kind(kind)
                .with_payload_schema(record.payload_schema.clone())
                .with_content_type(record.content_type)
        })
        .collect()
}

/// What a definition publishes, from its own types.
#[doc(hidden)]
pub trait Publishes {
    /// What it says of itself.
    fn docs(&self) -> &Docs;
    /// The reply's type.
    fn output_type(&self) -> Option<&'static str>;
    /// Replies and slot messages.
    fn publishes(&self) -> Vec<OutgoingMessageMetadata>;
}

/// The messages of a slot set.
#[doc(hidden)]
pub trait SlotMessages {
    /// One entry a message.
    fn messages() -> Vec<OutgoingMessageMetadata>;
}

impl SlotMessages for () {
    fn messages() -> Vec<OutgoingMessageMetadata> {
        Vec::new()
    }
}

impl<E: EntryMarkers> SlotMessages for Outs<E> {
    fn messages() -> Vec<OutgoingMessageMetadata> {
        E::outgoing()
    }
}

impl<A, R, O: SlotMessages, C, H, Doc> Publishes for Sealed<HandleValue<A, R, O, C, H, Doc>> {
    fn docs(&self) -> &Docs {
        &self.0.docs
    }
    fn output_type(&self) -> Option<&'static str> {
        None
    }
    fn publishes(&self) -> Vec<OutgoingMessageMetadata> {
        O::messages()
    }
}

impl<A, R, O, C, H, Doc, Dest> Publishes
    for Sealed<ReplyValue<HandleValue<A, R, O, C, H, Doc>, Dest>>
where
    A: Axis,
    R: ReplyItem<A::Family, One: ReplyShape<Wire: WireDocs<R::One, Doc>>>,
    O: SlotMessages,
    Dest: ReplyDest<R::One>,
    <R::One as ReplyShape>::Body: OutgoingDestination,
{
    fn docs(&self) -> &Docs {
        &self.0.value.docs
    }
    fn output_type(&self) -> Option<&'static str> {
        Some(type_name::<R::One>())
    }
    fn publishes(&self) -> Vec<OutgoingMessageMetadata> {
        type Wire<R> = <R as ReplyShape>::Wire;
        let answer = OutgoingMessageMetadata::new(
            self.0.dest.name().to_owned(),
            type_name::<<R::One as ReplyShape>::Body>(),
        )
        .with_kind(OutgoingKind::Answer)
        .with_serialized(<Wire<R::One> as WireDocs<R::One, Doc>>::SERIALIZED)
        .with_payload_schema(<Wire<R::One> as WireDocs<R::One, Doc>>::payload_schema())
        .with_headers_schema(<Wire<R::One> as WireDocs<R::One, Doc>>::headers_schema());
        let mut all = vec![answer];
        all.extend(O::messages());
        all
    }
}
