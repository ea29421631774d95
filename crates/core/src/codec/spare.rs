//! The last encode buffer that came back, for the next document.
//!
//! A transport that keeps what it publishes gets a buffer of its own for each message. Where the
//! thread that encodes is also the one that lets go of the message (nobody read it, a reply was
//! taken in), one buffer goes to and fro and nothing is allocated.

use std::cell::Cell;
use std::mem;

use crate::BytesMut;

/// What one small document takes, so that encoding it costs at most one allocation.
const FIRST_BLOCK: usize = 128;

thread_local! {
    /// Apart from the buffer, since it is looked at far more often than that one changes hands.
    static KEPT: Cell<bool> = const { Cell::new(false) };
    static SPARE: Cell<BytesMut> = Cell::new(BytesMut::new());
}

/// An empty buffer with room for a small document.
#[cfg(any(feature = "json", feature = "cbor", feature = "msgpack"))]
#[inline]
pub(super) fn buffer() -> BytesMut {
    if KEPT.replace(false)
        && let Ok(buf) = SPARE.try_with(Cell::take)
    {
        return buf;
    }
    BytesMut::with_capacity(FIRST_BLOCK)
}

/// Takes back a buffer that is no longer needed, or leaves it where it is.
///
/// Keeps one a thread, and only one of the size that encoding starts with: what a large document grew
/// to, or what is a part of a larger block, is freed.
#[inline]
pub fn give_back(buf: &mut BytesMut) {
    if !KEPT.get() && buf.capacity() == FIRST_BLOCK {
        keep(mem::take(buf));
    }
}

#[inline(never)]
fn keep(mut buf: BytesMut) {
    buf.clear();
    // A thread that is about to end keeps nothing any more, and the buffer is freed.
    KEPT.set(SPARE.try_with(|spare| spare.set(buf)).is_ok());
}
