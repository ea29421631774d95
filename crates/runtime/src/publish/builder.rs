//! The publish builder: one call shape on every surface that publishes.

use std::borrow::Cow;
use std::fmt;

use ruststream_core::codec::Codec;
use ruststream_core::{
    BytesMut, CallerName, FixedName, HeaderMap, MessageHeaders, NameTemplate, OutgoingDestination,
    OutgoingFor, OutgoingMessage, PayloadForm,
};

use super::codec::CallCodec;
use super::error::PublishError;
use super::headers::{
    HeaderSource, HeadersOpen, HeadersUnset, PublishHeaders, SatisfiesContract, layered,
};
use super::name::{NamedByTheCall, NamedOnce, ResolvedName, SuppliedName};
use super::scratch::Scratch;
use super::sink::PublishSink;
use super::template::TemplateAddress;
use super::wire::{EncodedWire, MessageWire, WirePayload};

/// One publish being put together.
///
/// Steps come in any order and end in `publish`: [`to`](Self::to) where the type leaves its
/// destination open, `with_headers`, `with_codec`, and whatever steps the broker adds. What is
/// still missing is a compile error at `publish`. Nothing is encoded and nothing is sent before
/// the future of `publish` is awaited.
///
/// The type parameters are positions: where it is sent, the value, its codec, its headers and its
/// destination.
#[must_use = "a publish does nothing until `publish()` is called and awaited"]
pub struct PublishBuilder<Sink: PublishSink, Body, Enc, Hdrs, Dest> {
    pub(super) sink: Sink,
    pub(super) body: Body,
    pub(super) codec: Enc,
    pub(super) headers: Hdrs,
    pub(super) destination: Dest,
    pub(super) options: Option<Sink::Options>,
}

/// The value of a publish, borrowed until the publish runs.
#[derive(Debug, Clone, Copy)]
pub struct MessageBody<'a, T>(pub(super) &'a T);

/// The builder of `value` over a sink; every surface's `message` is this call.
#[doc(hidden)]
#[inline]
pub fn message_of<Sink, T, Enc>(
    sink: Sink,
    value: &T,
    codec: Enc,
) -> PublishBuilder<Sink, MessageBody<'_, T>, Enc, HeadersUnset, T::Form>
where
    Sink: PublishSink,
    T: OutgoingDestination,
{
    PublishBuilder {
        sink,
        body: MessageBody(value),
        codec,
        headers: HeadersUnset,
        destination: T::Form::default(),
        options: None,
    }
}

impl<Sink: PublishSink, Body, Enc, Hdrs, Dest> PublishBuilder<Sink, Body, Enc, Hdrs, Dest> {
    /// The broker's settings of this one message, for the broker's own steps to fill.
    ///
    /// `None` means that what the policy fixed at the mount applies to every field.
    pub const fn options_mut(&mut self) -> &mut Option<Sink::Options> {
        &mut self.options
    }
}

impl<'a, Sink: PublishSink, T, Enc, Hdrs, Dest>
    PublishBuilder<Sink, MessageBody<'a, T>, Enc, Hdrs, Dest>
{
    /// Encodes this one message with `codec`; the last call wins.
    pub fn with_codec<C: Codec>(
        self,
        codec: C,
    ) -> PublishBuilder<Sink, MessageBody<'a, T>, CallCodec<C>, Hdrs, Dest>
    where
        T: MessageWire<Wire = EncodedWire>,
    {
        PublishBuilder {
            sink: self.sink,
            body: self.body,
            codec: CallCodec(codec),
            headers: self.headers,
            destination: self.destination,
            options: self.options,
        }
    }
}

impl<Sink: PublishSink, Body, Enc, Hdrs, Dest> PublishBuilder<Sink, Body, Enc, Hdrs, Dest> {
    /// Lays headers over the publisher's base: `&value` of the type the message declares, or a
    /// [`HeaderMap`] where it declares none.
    pub fn with_headers<S: HeaderSource>(
        self,
        headers: S,
    ) -> PublishBuilder<Sink, Body, Enc, S::Position, Dest>
    where
        Hdrs: HeadersOpen,
    {
        PublishBuilder {
            sink: self.sink,
            body: self.body,
            codec: self.codec,
            headers: headers.into_position(),
            destination: self.destination,
            options: self.options,
        }
    }
}

impl<Sink: PublishSink, Body, Enc, Hdrs> PublishBuilder<Sink, Body, Enc, Hdrs, CallerName> {
    /// Names the destination of a message that declares none. A `&str` is borrowed, never copied;
    /// the text is the broker's to accept or refuse.
    pub fn to<'n>(
        self,
        name: impl Into<Cow<'n, str>>,
    ) -> PublishBuilder<Sink, Body, Enc, Hdrs, SuppliedName<'n>> {
        PublishBuilder {
            sink: self.sink,
            body: self.body,
            codec: self.codec,
            headers: self.headers,
            destination: SuppliedName(name.into()),
            options: self.options,
        }
    }
}

/// Only there to be refused: without it the compiler could say no more than that there is no `to`.
impl<Sink: PublishSink, T, Enc, Hdrs>
    PublishBuilder<Sink, MessageBody<'_, T>, Enc, Hdrs, FixedName>
{
    /// A message that fixes its destination has none to name.
    #[doc(hidden)]
    pub fn to<'n>(self, _name: impl Into<Cow<'n, str>>) -> Self
    where
        T: NamedByTheCall,
    {
        self
    }
}

/// As above, for a destination that was named.
impl<Sink: PublishSink, T, Enc, Hdrs>
    PublishBuilder<Sink, MessageBody<'_, T>, Enc, Hdrs, SuppliedName<'_>>
{
    /// A destination that was named is not named again.
    #[doc(hidden)]
    pub fn to<'n>(self, _name: impl Into<Cow<'n, str>>) -> Self
    where
        T: NamedOnce,
    {
        self
    }
}

impl<Sink, T, Enc, Hdrs> PublishBuilder<Sink, MessageBody<'_, T>, Enc, Hdrs, NameTemplate>
where
    Sink: PublishSink,
    T: TemplateAddress<Self>,
{
    /// Opens the name template: one setter per placeholder, then `publish`.
    pub fn to(self) -> T::Builder {
        T::begin(self)
    }
}

impl<Sink, T, Enc, Hdrs, Dest> PublishBuilder<Sink, MessageBody<'_, T>, Enc, Hdrs, Dest>
where
    Sink: PublishSink,
    T: OutgoingDestination + MessageHeaders + Sync,
    Hdrs: PublishHeaders,
{
    /// Publishes the message.
    ///
    /// Cancel safety is the publisher's: a future dropped midway leaves the message indeterminate.
    ///
    /// # Errors
    ///
    /// [`PublishError`], one variant per step; only [`PublishError::Publish`] reached the
    /// publisher.
    pub async fn publish(self) -> Result<(), PublishError<Sink::Error>>
    where
        T: MessageWire,
        T::Wire: WirePayload<T, Enc>,
        Hdrs: SatisfiesContract<T::Contract>,
        Dest: ResolvedName,
    {
        let Self {
            mut sink,
            body,
            codec,
            headers,
            destination,
            options,
        } = self;
        let mut buffer = Scratch::take();
        let message = assembled::<Sink::Payload, _, _, _, _>(
            destination.resolve(T::DESTINATION),
            body.0,
            &codec,
            headers,
            sink.base_headers(),
            &mut buffer,
        )?;
        sink.send(message, options.as_ref())
            .await
            .map_err(PublishError::Publish)
    }
}

/// What leaves (PUB-202): the payload first, then the base headers with the call's over them.
#[inline]
pub(super) fn assembled<'m, Form, T, Enc, Hdrs, E>(
    name: &'m str,
    value: &'m T,
    codec: &Enc,
    headers: Hdrs,
    base: Option<&HeaderMap>,
    buffer: &'m mut BytesMut,
) -> Result<OutgoingFor<'m, Form>, PublishError<E>>
where
    Form: PayloadForm,
    T: MessageWire,
    T::Wire: WirePayload<T, Enc>,
    Hdrs: PublishHeaders,
{
    let payload = T::Wire::payload::<Form>(value, codec, buffer)?;
    let headers = layered(base, headers).map_err(PublishError::Headers)?;
    Ok(OutgoingMessage::assembled(name, payload, headers))
}

impl<Sink: PublishSink, Body, Enc, Hdrs, Dest> fmt::Debug
    for PublishBuilder<Sink, Body, Enc, Hdrs, Dest>
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PublishBuilder").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use ruststream_core::{HeaderMap, Lend, Take};

    use crate::publish::testkit::{Held, Recorder, Refused, Urgency, Written};
    use crate::publish::{PublishError, PublishExt};

    // PUB-175
    #[tokio::test]
    async fn a_literal_destination_is_not_copied() {
        let publisher = Recorder::<Take>::new();
        let name = "parcels";
        publisher
            .message(&Held(vec![1]))
            .to(name)
            .publish()
            .await
            .expect("publishes");
        assert_eq!(publisher.only().name_at, name.as_ptr() as usize);
    }

    // PUB-231, PUB-152, CORE-116
    #[tokio::test]
    async fn only_what_a_step_set_reaches_the_publisher_as_options() {
        let publisher = Recorder::<Lend>::new();
        publisher
            .message(&Held(vec![1]))
            .to("a")
            .publish()
            .await
            .expect("publishes");
        let value = Held(vec![2]);
        let mut urgent = publisher.message(&value).to("a");
        urgent.options_mut().get_or_insert_with(Urgency::default).0 = Some(3);
        urgent.publish().await.expect("publishes");

        let options: Vec<_> = publisher.sent().iter().map(|sent| sent.options).collect();

        assert_eq!(options, [None, Some(Urgency(Some(3)))]);
    }

    // PUB-133, PUB-202
    #[tokio::test]
    async fn a_value_that_fails_to_write_itself_sends_nothing() {
        let publisher = Recorder::<Take>::new();
        let broken = Written {
            fails: true,
            ..Written::default()
        };

        let error = publisher
            .message(&broken)
            .to("a")
            .publish()
            .await
            .expect_err("fails");

        assert!(matches!(error, PublishError::Serialize(_)));
        assert_eq!(
            error.to_string(),
            "serializing the message's own bytes failed: refused"
        );
        assert!(publisher.sent().is_empty());
    }

    // PUB-202
    #[tokio::test]
    async fn a_refusal_comes_back_unboxed() {
        let publisher = Recorder::<Take>::new().refusing();
        let error = publisher
            .message(&Held(vec![1]))
            .to("a")
            .publish()
            .await
            .expect_err("fails");
        assert!(matches!(error, PublishError::Publish(Refused)));
    }

    // CORE-113
    #[tokio::test]
    async fn a_publish_is_one_call_with_everything_resolved() {
        let base = HeaderMap::from_iter([("tenant", "north")]);
        let publisher = Recorder::<Lend>::new().with_base(base);
        let value = Held(vec![1]);
        let publish = publisher.message(&value).to("a".to_owned()).publish();
        publish.await.expect("publishes");

        let sent = publisher.only();
        assert_eq!((sent.name.as_str(), &*sent.payload), ("a", &[1][..]));
        assert_eq!(sent.headers.get_str("tenant"), Some("north"));
        assert_eq!(publisher.calls(), [""; 0]);
    }

    // PUB-206
    #[tokio::test]
    async fn nothing_leaves_before_publish_is_awaited() {
        let publisher = Recorder::<Take>::new();
        drop(publisher.message(&Held(vec![1])).to("a").publish());
        assert!(publisher.sent().is_empty());
    }

    // PUB-205
    #[test]
    fn debug_names_the_builder_only() {
        let publisher = Recorder::<Take>::new();
        let value = Held(b"secret".to_vec());
        assert_eq!(
            format!("{:?}", publisher.message(&value).to("a")),
            "PublishBuilder { .. }"
        );
    }

    #[cfg(feature = "json")]
    mod encoded {
        use std::error::Error;

        use super::*;
        use crate::publish::testkit::{Gate, Label, Marked, ReadBack, Scan, Unencodable, headers};
        use ruststream_core::codec::{Codec, DefaultCodec};

        // PUB-204
        #[tokio::test]
        async fn a_bare_publisher_encodes_with_the_default_codec() {
            let publisher = Recorder::<Lend>::new();
            publisher
                .message(&Label { parcel: 7 })
                .to("labels")
                .publish()
                .await
                .expect("publishes");
            let read: ReadBack = DefaultCodec::default()
                .decode(&publisher.only().payload)
                .expect("the default codec wrote it");
            assert_eq!(read, ReadBack { parcel: 7 });
        }

        // PUB-201, PUB-204
        #[tokio::test]
        async fn the_codec_named_last_wins() {
            let publisher = Recorder::<Take>::new();
            publisher
                .message(&Label { parcel: 7 })
                .with_codec(Marked(1))
                .to("labels")
                .with_codec(Marked(2))
                .publish()
                .await
                .expect("publishes");
            assert_eq!(publisher.only().payload, b"\x02{\"parcel\":7}");
        }

        // PUB-101, PUB-122
        #[tokio::test]
        async fn a_fixed_name_and_its_typed_headers_leave_as_declared() {
            let publisher = Recorder::<Take>::new();

            publisher
                .message(&Scan { parcel: 7 })
                .with_headers(&Gate {
                    gate: 4,
                    lane: None,
                })
                .publish()
                .await
                .expect("publishes");

            let sent = publisher.only();
            assert_eq!(sent.name, "scans");
            assert_eq!(sent.headers, headers([("x-gate", "4")]));
        }

        // PUB-202, PUB-203
        #[tokio::test]
        async fn a_value_no_codec_encodes_sends_nothing() {
            let publisher = Recorder::<Take>::new();

            let error = publisher
                .message(&Unencodable)
                .to("a")
                .publish()
                .await
                .expect_err("fails");

            assert!(matches!(error, PublishError::Encode(_)));
            assert!(
                error
                    .to_string()
                    .starts_with("encoding the message failed: ")
            );
            assert!(error.source().is_some());
            assert!(publisher.sent().is_empty());
        }
    }
}
