//! Messages that a codec encodes.

use ruststream_core::codec::{Codec, CodecError, JsonCodec};
use ruststream_core::{
    BytesMut, CallerName, FixedName, MessageHeaders, NameTemplate, NoHeaders, OutgoingDestination,
    WithHeaders,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize, Serializer};

/// A message that leaves its destination open.
#[derive(Debug, Serialize)]
pub(crate) struct Label {
    pub(crate) parcel: u64,
}

impl OutgoingDestination for Label {
    type Form = CallerName;
}

impl MessageHeaders for Label {
    type Contract = NoHeaders;
}

/// A message with a fixed name and declared headers.
#[derive(Debug, Serialize)]
pub(crate) struct Scan {
    pub(crate) parcel: u64,
}

impl OutgoingDestination for Scan {
    type Form = FixedName;
    const DESTINATION: &'static str = "scans";
}

impl MessageHeaders for Scan {
    type Contract = WithHeaders<Gate>;
}

#[derive(Debug, Serialize)]
pub(crate) struct Gate {
    #[serde(rename = "X-Gate")]
    pub(crate) gate: u32,
    pub(crate) lane: Option<u32>,
}

/// A message whose name has a placeholder.
#[derive(Debug, Serialize)]
pub(crate) struct Arrived {
    pub(crate) parcel: u64,
}

impl OutgoingDestination for Arrived {
    type Form = NameTemplate;
    const DESTINATION: &'static str = "depot.{city}.arrivals";
    const PARAMETERS: &'static [&'static str] = &["city"];
}

impl MessageHeaders for Arrived {
    type Contract = NoHeaders;
}

/// A value no codec can encode.
#[derive(Debug)]
pub(crate) struct Unencodable;

impl Serialize for Unencodable {
    fn serialize<S: Serializer>(&self, _serializer: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom("unencodable"))
    }
}

impl OutgoingDestination for Unencodable {
    type Form = CallerName;
}

impl MessageHeaders for Unencodable {
    type Contract = NoHeaders;
}

/// JSON behind a mark that says which codec wrote it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Marked(pub(crate) u8);

impl Codec for Marked {
    fn encode<T: Serialize>(&self, value: &T) -> Result<BytesMut, CodecError> {
        let mut buf = BytesMut::from(&[self.0][..]);
        JsonCodec.encode_into(value, &mut buf)?;
        Ok(buf)
    }

    fn decode<T: DeserializeOwned>(&self, bytes: &[u8]) -> Result<T, CodecError> {
        JsonCodec.decode(&bytes[1..])
    }
}

/// A type that a codec reads back, for good measure.
#[derive(Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct ReadBack {
    pub(crate) parcel: u64,
}
