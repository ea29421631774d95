//! What the derives make of message types: addresses, bytes, sets.

use std::any::TypeId;
use std::cell::RefCell;
use std::convert::Infallible;
use std::future::{Future, ready};
use std::marker::PhantomData;

use ruststream::codec::{Codec, JsonCodec};
use ruststream::prelude::*;
use ruststream::runtime::{
    CodecDiscriminator, DecodeSet, PublishAt, PublishError, TemplateAddress,
};
use ruststream::{AckError, Bytes, MessageInfo, OutgoingDestination, WithHeaders};
use serde::{Deserialize, Serialize};

/// A delivery of nothing but a payload and headers.
struct Delivery {
    payload: &'static [u8],
    headers: HeaderMap,
}

impl Delivery {
    fn of(payload: &'static str) -> Self {
        Self {
            payload: payload.as_bytes(),
            headers: HeaderMap::new(),
        }
    }

    fn with(mut self, header: &'static str, value: &'static [u8]) -> Self {
        self.headers.insert(header, Bytes::from_static(value));
        self
    }
}

impl IncomingMessage for Delivery {
    fn payload(&self) -> &[u8] {
        self.payload
    }

    fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    fn ack(self) -> impl Future<Output = Result<(), AckError>> + Send {
        ready(Ok(()))
    }

    fn nack(self, _requeue: bool) -> impl Future<Output = Result<(), AckError>> + Send {
        ready(Ok(()))
    }
}

#[derive(Serialize, Outgoing)]
#[outgoing(name = "depot.{city}.shelf-{shelf_no}")]
struct Moved;

#[derive(Outgoing)]
#[outgoing(headers = Meta)]
#[outgoing(name = "parcels")]
struct Fixed<'a, T: Clone, const N: usize>(PhantomData<&'a [T; N]>)
where
    T: Send;

#[derive(Outgoing)]
#[outgoing(name = "")]
struct FixedToNothing;

#[derive(Outgoing)]
#[outgoing(name = "depot.{city}.{shelf_no}", headers = Meta)]
struct Templated;

#[derive(Outgoing)]
#[outgoing()]
struct Free;

/// An ordinary value, whatever declares it as its headers.
#[derive(Serialize)]
struct Meta {
    tenant: &'static str,
}

// PUB-101, PUB-102, PUB-110, PUB-111
#[test]
fn a_name_is_fixed_has_placeholders_or_is_the_callers() {
    fn says<T: OutgoingDestination<Form = F>, F>() -> (&'static str, &'static [&'static str]) {
        (T::DESTINATION, T::PARAMETERS)
    }
    assert_eq!(says::<Fixed<'_, u8, 2>, FixedName>(), ("parcels", &[][..]));
    assert_eq!(says::<FixedToNothing, FixedName>(), ("", &[][..]));
    assert_eq!(
        says::<Templated, NameTemplate>(),
        ("depot.{city}.{shelf_no}", &["city", "shelf_no"][..])
    );
    assert_eq!(says::<Free, CallerName>(), ("", &[][..]));
}

// PUB-110, PUB-120
#[test]
fn headers_are_declared_in_either_attribute_and_their_type_stays_what_it_is() {
    fn contract<T: MessageHeaders>() -> TypeId
    where
        T::Contract: 'static,
    {
        TypeId::of::<T::Contract>()
    }
    let declared = TypeId::of::<WithHeaders<Meta>>();
    assert_eq!(contract::<Fixed<'_, u8, 2>>(), declared);
    assert_eq!(contract::<Templated>(), declared);
    let described = TypeId::of::<WithHeaders<Parcel>>();
    assert_eq!(contract::<Described>(), described);
    assert_eq!(contract::<Free>(), TypeId::of::<NoHeaders>());
    let encoded = JsonCodec.encode(&Meta { tenant: "north" }).unwrap();
    assert_eq!(encoded, &br#"{"tenant":"north"}"#[..]);
}

/// Remembers where it was sent.
struct Sink;

thread_local! {
    static SENT: RefCell<Option<String>> = const { RefCell::new(None) };
}

impl PublishAt for Sink {
    type Error = Infallible;

    async fn publish_at(self, name: &str) -> Result<(), PublishError<Infallible>> {
        SENT.set(Some(name.to_owned()));
        Ok(())
    }
}

// MAC-52, MAC-54, PUB-116
#[tokio::test]
async fn a_template_is_filled_in_in_any_order_and_literally() {
    assert_eq!(Moved::PARAMETERS, ["city", "shelf_no"]);
    let address = <Moved as TemplateAddress<Sink>>::begin(Sink);
    address
        .shelf_no(7)
        .city("a.{city}")
        .publish()
        .await
        .unwrap();
    assert_eq!(SENT.take().as_deref(), Some("depot.a.{city}.shelf-7"));
}

/// A label of whatever it is stuck on, in one of several layouts.
#[derive(Serialize, Outgoing)]
#[outgoing(name = "labels.{layout}")]
struct Stuck<'a, T: Clone, const LAYOUT: usize>
where
    T: Serialize,
{
    on: &'a T,
}

// CORE-203, MAC-07
#[test]
fn generic_types_declare_themselves_as_others_do() {
    type OnText<'a> = Stuck<'a, String, 2>;
    let text = String::from("fragile");
    let stuck = OnText { on: &text };

    assert_eq!((OnText::NAME, stuck.on.len()), ("Stuck", 7));
    assert_eq!(OnText::DESTINATION, "labels.{layout}");
    assert_eq!(OnText::PARAMETERS, ["layout"]);
}

#[derive(Deserialized)]
struct Frame<'a>(&'a [u8]);

#[derive(Debug, PartialEq, Deserialized, Serialized)]
#[wire(decode = parse, encode = write)]
struct Weight {
    grams: u8,
}

fn parse(payload: &[u8]) -> Result<Weight, std::fmt::Error> {
    payload
        .first()
        .map(|grams| Weight { grams: *grams })
        .ok_or(std::fmt::Error)
}

fn write(weight: &Weight, buffer: &mut BytesMut) {
    buffer.extend_from_slice(&[weight.grams]);
}

#[derive(Serialized)]
struct Blob {
    bytes: [u8; 2],
}

// MAC-66
#[test]
fn a_view_is_the_payload_itself() {
    let payload = [1, 2, 3];
    let Ok(Frame(bytes)) = Frame::from_payload(&payload);
    assert!(std::ptr::eq(bytes, &raw const payload[..]));
}

// MAC-67
#[test]
fn a_decode_function_builds_the_value_or_its_error() {
    assert_eq!(Weight::from_payload(&[9]).unwrap(), Weight { grams: 9 });
    assert!(
        Weight::from_payload(&[])
            .unwrap_err()
            .is::<std::fmt::Error>()
    );
}

#[derive(Serialized)]
struct Shared(Bytes);

// PUB-140
#[test]
fn a_message_of_bytes_is_its_own_reply_and_cannot_fail() {
    fn lends<T>(message: &T) -> &[u8]
    where
        T: Serialized<Error = Infallible>
            + MessageWire<Wire = SerializedWire>
            + ReplyShape<Body = T, Headers = (), Wire = SerializedReply>,
    {
        let mut buffer = BytesMut::new();
        let Ok(bytes) = message.wire_bytes(&mut buffer);
        match bytes {
            WireBytes::Own(bytes) => bytes,
            _ => panic!("it was copied"),
        }
    }
    let shared = Shared(Bytes::from_static(b"shared"));
    assert_eq!(lends(&shared).as_ptr(), shared.0.as_ptr());
    assert_eq!(lends(&Blob { bytes: [4, 5] }), [4, 5]);
}

// MAC-69, MAC-70
#[test]
fn a_message_lends_its_bytes_or_writes_them() {
    let mut buffer = BytesMut::new();
    let blob = Blob { bytes: [4, 5] };
    assert!(matches!(
        blob.wire_bytes(&mut buffer),
        Ok(WireBytes::Own([4, 5]))
    ));
    assert!(buffer.is_empty());
    assert!(matches!(
        Weight { grams: 6 }.wire_bytes(&mut buffer),
        Ok(WireBytes::InBuffer)
    ));
    assert_eq!(buffer, [6][..]);
}

/// A parcel.
#[derive(Debug, PartialEq, Deserialize, MessageInfo)]
struct Parcel {
    parcel: u32,
}

#[derive(Debug, PartialEq, Deserialize, MessageInfo)]
struct Letter {
    letter: u32,
}

#[derive(Debug, PartialEq, InMessages)]
enum Tried {
    Parcel(Parcel),
    Letter(Letter),
}

#[derive(Debug, PartialEq, InMessages)]
#[in_messages(header = "kind")]
enum Labelled {
    #[in_messages(value = "parcel")]
    Parcel(Parcel),
    #[in_messages(value = "letter")]
    Letter(Letter),
}

#[derive(Debug, PartialEq, InMessages)]
#[in_messages(discriminate = by_length)]
enum Measured {
    Parcel(Parcel),
    Letter(Letter),
}

fn by_length(message: &impl IncomingMessage) -> Option<MeasuredKind> {
    match message.payload().len() {
        0 => None,
        12 => Some(MeasuredKind::Parcel),
        _ => Some(MeasuredKind::Letter),
    }
}

#[derive(Debug, PartialEq, InMessages)]
#[in_messages(discriminate_with_codec = Tag)]
enum Tagged {
    Parcel(Parcel),
    Letter(Letter),
}

struct Tag;

#[derive(Deserialize)]
struct Tags {
    parcel: Option<u32>,
}

impl<C: Codec> CodecDiscriminator<TaggedKind, C> for Tag {
    fn kind<M: IncomingMessage>(codec: &C, message: &M) -> Option<TaggedKind> {
        let tags: Tags = codec.decode(message.payload()).ok()?;
        Some(if tags.parcel.is_some() {
            TaggedKind::Parcel
        } else {
            TaggedKind::Letter
        })
    }
}

const PARCEL: &str = r#"{"parcel":1}"#;
const LETTER: &str = r#"{"letter":22}"#;

fn decoded<S: DecodeSet<JsonCodec>>(delivery: &Delivery) -> Result<S, String> {
    S::decode(&JsonCodec, delivery).map_err(|error| error.to_string())
}

// MAC-63
#[test]
fn a_set_takes_the_first_variant_that_decodes() {
    assert_eq!(
        decoded(&Delivery::of(PARCEL)),
        Ok(Tried::Parcel(Parcel { parcel: 1 }))
    );
    assert_eq!(
        decoded(&Delivery::of(LETTER)),
        Ok(Tried::Letter(Letter { letter: 22 }))
    );
    let error = decoded::<Tried>(&Delivery::of("{}")).unwrap_err();
    assert!(
        error.contains("`Tried`") && error.contains("`Parcel`: ") && error.contains("`Letter`: "),
        "{error}"
    );
}

// MAC-63
#[test]
fn a_header_names_the_variant() {
    let labelled = |kind| Delivery::of(LETTER).with("kind", kind);
    assert_eq!(
        decoded(&labelled(b"letter")),
        Ok(Labelled::Letter(Letter { letter: 22 }))
    );
    let error = decoded::<Labelled>(&labelled(b"parcel")).unwrap_err();
    assert!(
        !error.contains("Labelled"),
        "the chosen variant's own error: {error}"
    );
    let error = decoded::<Labelled>(&labelled(b"Letter")).unwrap_err();
    assert!(
        error.contains("`Letter`") && error.contains("`parcel`, `letter`"),
        "{error}"
    );
    let error = decoded::<Labelled>(&Delivery::of(LETTER)).unwrap_err();
    assert!(
        error.contains("`Labelled`") && error.contains("no `kind` header"),
        "{error}"
    );
}

// MAC-63
#[test]
fn a_function_names_the_variant() {
    assert_eq!(
        decoded(&Delivery::of(PARCEL)),
        Ok(Measured::Parcel(Parcel { parcel: 1 }))
    );
    assert_eq!(
        decoded(&Delivery::of(LETTER)),
        Ok(Measured::Letter(Letter { letter: 22 }))
    );
    let error = decoded::<Measured>(&Delivery::of("")).unwrap_err();
    assert!(
        error.contains("`Measured`") && error.contains("no variant"),
        "{error}"
    );
}

// MAC-62
#[test]
fn a_codec_names_the_variant() {
    assert_eq!(
        decoded(&Delivery::of(PARCEL)),
        Ok(Tagged::Parcel(Parcel { parcel: 1 }))
    );
    assert_eq!(
        decoded(&Delivery::of(LETTER)),
        Ok(Tagged::Letter(Letter { letter: 22 }))
    );
}

// MAC-64
#[test]
fn a_set_describes_each_variant_in_order() {
    let incoming = <Labelled as InMessages>::incoming();
    let names: Vec<_> = incoming.iter().map(|entry| entry.message_name).collect();
    assert_eq!(names, [Some("Parcel"), Some("Letter")]);
    assert_eq!(incoming[0].message_description, Some("A parcel."));
    assert_eq!(
        incoming[1].discriminator,
        Some(HeaderDiscriminator::new("kind", "letter"))
    );
}

/// Kept for the depot.
#[derive(MessageInfo)]
#[message(headers(Parcel))]
struct Described;

// MAC-05, MAC-50
#[test]
fn a_message_is_described_by_its_name_and_doc() {
    assert_eq!(Described::NAME, "Described");
    assert_eq!(Described::DESCRIPTION, Some("Kept for the depot."));
    assert_eq!(<Letter as MessageInfo>::DESCRIPTION, None);
}
