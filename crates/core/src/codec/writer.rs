use std::io;

use serde::Serialize;

use super::spare;
use super::{Codec, CodecError};
use crate::BytesMut;

/// Encodes into a buffer with room for a small document.
#[inline]
pub(super) fn encode_fresh<C: Codec, T: Serialize>(
    codec: &C,
    value: &T,
) -> Result<BytesMut, CodecError> {
    let mut buf = spare::buffer();
    codec.encode_into(value, &mut buf)?;
    Ok(buf)
}

/// Writes into the payload buffer itself, where the formats would otherwise collect a `Vec` first.
pub(super) struct BufferWriter<'b>(pub(super) &'b mut BytesMut);

impl io::Write for BufferWriter<'_> {
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    #[inline]
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    #[inline]
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
