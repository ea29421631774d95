//! The record of a registration, complete at the mount (RUN-464).

use std::any::type_name;
use std::borrow::Cow;

#[cfg(feature = "asyncapi")]
use ruststream_core::bindings::SubscriptionBindings;
use ruststream_core::{ConnectedBroker, SubscriptionSource};

use super::settings::SubscriberBuilder;
use crate::definition::{AxisDocs, Definition, Docs, HandleValue, ReplyValue, Sealed};
use crate::docs::{
    HandlerMetadata, IncomingMessageMetadata, OutgoingKind, OutgoingMessageMetadata,
};
use crate::input::{Axis, FedBy, LaneCodec, LaneInput};
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
    D: Definition<Doc: AxisDocs<D::Axis>> + Publishes,
    D::Axis: LaneCodec<DC, Surface> + LaneInput + FedBy<Src, Conn>,
    Src: SubscriptionSource<Conn>,
    Ret: RetryPlanned,
{
    fn metadata(&self, retry: &Ret) -> HandlerMetadata {
        let docs = self.def.docs();
        let mut record = HandlerMetadata::raw(self.source.name().to_owned());
        record.input_type = D::Axis::input_type();
        record.deserialized = D::Axis::DESERIALIZED;
        record.content_type = <D::Axis as LaneCodec<DC, Surface>>::CONTENT_TYPE;
        record.description.clone_from(&docs.description);
        record.retry = retry.declaration();
        if let Some(probed) = &docs.probed {
            record.payload_schema.clone_from(&probed.input_schema);
            record.headers_schema.clone_from(&probed.headers_schema);
            record.message_name = probed.message_name.map(Cow::Borrowed);
            record.message_description = probed.message_description.map(Cow::Borrowed);
        } else {
            record.payload_schema = <D::Doc as AxisDocs<D::Axis>>::payload_schema();
            record.headers_schema = <D::Doc as AxisDocs<D::Axis>>::headers_schema();
        }
        record.output_type = self.def.output_type();
        record.outgoing = match docs
            .probed
            .as_ref()
            .and_then(|probed| probed.outgoing.clone())
        {
            Some(outgoing) => outgoing,
            None => self.def.publishes(),
        };
        #[cfg(feature = "asyncapi")]
        {
            record.bindings = SubscriptionBindings::new(
                self.source.channel_bindings(),
                self.source.operation_bindings(),
                self.source.message_bindings(),
            );
        }
        record
    }
}

/// Completes the record with what is known once the registration meets its broker: the models of a
/// message set, what its positions publish with, and the copies of its deliveries.
///
/// `answer` and `slots` describe what leaves by these positions, `copy` what a copy is published
/// with.
pub(crate) fn complete<Ret: RetryPlanned>(
    record: &mut HandlerMetadata,
    incoming: Vec<IncomingMessageMetadata>,
    retry: &Ret,
    answer: impl Fn(&mut OutgoingMessageMetadata),
    slots: impl FnOnce(&mut [OutgoingMessageMetadata]),
    copy: impl Fn(&mut OutgoingMessageMetadata),
) {
    record.incoming = incoming;
    join_models(record);
    record
        .outgoing
        .iter_mut()
        .filter(|entry| entry.kind == OutgoingKind::Answer)
        .for_each(answer);
    slots(&mut record.outgoing);
    let mut copies = copies(record, retry);
    copies.iter_mut().for_each(copy);
    record.outgoing.append(&mut copies);
}

/// What the registration says of every model: its codec, and the headers its parameters read
/// (RUN-463).
fn join_models(record: &mut HandlerMetadata) {
    for model in &mut record.incoming {
        model.content_type = if model.deserialized {
            None
        } else {
            record.content_type
        };
        #[cfg(feature = "asyncapi")]
        if let Some(shared) = &record.headers_schema {
            model.headers_schema =
                crate::docs::join_headers(shared, model.headers_schema.as_deref());
        }
    }
}

/// RUN-355: a named retry destination and a dead letter are messages of the input's type.
fn copies<Ret: RetryPlanned>(
    record: &HandlerMetadata,
    retry: &Ret,
) -> Vec<OutgoingMessageMetadata> {
    let named = [
        (retry.dead_letter(), OutgoingKind::DeadLetter),
        (retry.destination(), OutgoingKind::RetryCopy),
    ];
    let mut copies = Vec::new();
    for (channel, kind) in named
        .into_iter()
        .filter_map(|(channel, kind)| Some((channel?, kind)))
    {
        if record.incoming.is_empty() {
            copies.push(copy_of_input(record, channel.clone()).with_kind(kind));
        }
        for model in &record.incoming {
            copies.push(copy_of_model(model, channel.clone()).with_kind(kind));
        }
    }
    copies
}

fn copy_of_input(record: &HandlerMetadata, channel: Cow<'static, str>) -> OutgoingMessageMetadata {
    // Only a record written by hand owns its texts, and such a record has no copies.
    let borrowed = |text: &Option<Cow<'static, str>>| match text {
        Some(Cow::Borrowed(text)) => Some(*text),
        _ => None,
    };
    OutgoingMessageMetadata::new(channel, record.input_type)
        .with_message_name(borrowed(&record.message_name))
        .with_message_description(borrowed(&record.message_description))
        .with_payload_schema(record.payload_schema.clone())
        .with_headers_schema(record.headers_schema.clone())
        .with_serialized(record.deserialized)
        .with_content_type(record.content_type)
}

fn copy_of_model(
    model: &IncomingMessageMetadata,
    channel: Cow<'static, str>,
) -> OutgoingMessageMetadata {
    let mut copy = OutgoingMessageMetadata::new(channel, model.message_type)
        .with_message_name(model.message_name)
        .with_message_description(model.message_description)
        .with_payload_schema(model.payload_schema.clone())
        .with_headers_schema(model.headers_schema.clone())
        .with_serialized(model.deserialized)
        .with_content_type(model.content_type);
    copy.discriminator = model.discriminator;
    copy
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
