//! What the tests of slots share: a marked slot over a recorder.

use ruststream_core::codec::{Codec, CodecError};
use ruststream_core::{BytesMut, Take};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{OutSlot, PublishedThrough, Slot};
use crate::publish::Reads;
use crate::publish::testkit::{Held, Recorder};

pub(crate) struct Receipts;

impl OutSlot for Receipts {
    const NAME: &'static str = "Receipts";
    type Destination = Reads;
}

impl PublishedThrough<Receipts> for Held {}

/// A codec for slots whose messages need none.
pub(crate) struct Unused;

impl Codec for Unused {
    fn encode<T: Serialize>(&self, _value: &T) -> Result<BytesMut, CodecError> {
        Err(CodecError::Encode("never asked".into()))
    }

    fn decode<T: DeserializeOwned>(&self, _bytes: &[u8]) -> Result<T, CodecError> {
        Err(CodecError::Decode("never asked".into()))
    }
}

pub(crate) fn slot<Pipe>(
    wired: Recorder<Take>,
    pipeline: Pipe,
) -> Slot<Receipts, Recorder<Take>, Unused, Pipe> {
    Slot::new(wired, Unused, pipeline)
}

pub(crate) fn parcel() -> Held {
    Held(b"parcel".to_vec())
}
