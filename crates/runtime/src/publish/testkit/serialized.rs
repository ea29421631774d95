//! Messages that produce their own bytes.

use std::sync::{Mutex, PoisonError};

use ruststream_core::{BytesMut, CallerName, MessageHeaders, NoHeaders, OutgoingDestination};

use super::Refused;
use crate::publish::wire::{MessageWire, Serialized, SerializedWire, WireBytes};

/// Bytes that a value holds and lends.
#[derive(Debug)]
pub(crate) struct Held(pub(crate) Vec<u8>);

impl Serialized for Held {
    type Error = Refused;

    fn wire_bytes(&self, _buf: &mut BytesMut) -> Result<WireBytes<'_>, Refused> {
        Ok(WireBytes::Own(&self.0))
    }
}

impl MessageWire for Held {
    type Wire = SerializedWire;
}

impl MessageHeaders for Held {
    type Contract = NoHeaders;
}

impl OutgoingDestination for Held {
    type Form = CallerName;
}

/// Bytes that a value writes, and where it wrote them.
#[derive(Debug, Default)]
pub(crate) struct Written {
    pub(crate) at: Mutex<usize>,
    pub(crate) fails: bool,
}

impl Serialized for Written {
    type Error = Refused;

    fn wire_bytes(&self, buf: &mut BytesMut) -> Result<WireBytes<'_>, Refused> {
        assert!(buf.is_empty(), "the buffer arrives empty");
        if self.fails {
            return Err(Refused);
        }
        buf.extend_from_slice(b"written");
        *self.at.lock().unwrap_or_else(PoisonError::into_inner) = buf.as_ptr() as usize;
        Ok(WireBytes::InBuffer)
    }
}

impl MessageWire for Written {
    type Wire = SerializedWire;
}

impl MessageHeaders for Written {
    type Contract = NoHeaders;
}

impl OutgoingDestination for Written {
    type Form = CallerName;
}
