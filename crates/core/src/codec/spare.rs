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
/// to is freed, and so is the last part of a larger block. A part of that size whose other parts are
/// held elsewhere is kept until its message is the next to come back.
#[inline]
pub fn give_back(buf: &mut BytesMut) {
    if !KEPT.get() && buf.capacity() == FIRST_BLOCK {
        keep(mem::take(buf));
    }
}

#[inline(never)]
fn keep(mut buf: BytesMut) {
    buf.clear();
    // Only the last part of a larger block has more room than it shows.
    if buf.try_reclaim(FIRST_BLOCK + 1) {
        return;
    }
    // A thread that is about to end keeps nothing any more, and the buffer is freed.
    KEPT.set(SPARE.try_with(|spare| spare.set(buf)).is_ok());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept_after(buf: &mut BytesMut) -> bool {
        give_back(buf);
        let kept = KEPT.replace(false);
        SPARE.take();
        kept
    }

    // CORE-262
    #[test]
    fn a_whole_buffer_of_the_usual_size_is_kept_and_no_part_of_a_larger_block() {
        let mut whole = BytesMut::with_capacity(FIRST_BLOCK);
        whole.extend_from_slice(b"body");
        assert!(kept_after(&mut whole));

        let mut large = BytesMut::zeroed(1 << 20);
        let mut part = large.split_to(FIRST_BLOCK);
        assert_eq!(part.capacity(), FIRST_BLOCK);
        drop(large);
        assert!(!kept_after(&mut part), "the only holder of the block");

        let mut large = BytesMut::zeroed(1 << 20);
        give_back(&mut large.split_to(FIRST_BLOCK));
        drop(large);
        let mut part = SPARE.take();
        KEPT.set(false);
        assert!(!kept_after(&mut part), "it does not go round");

        for capacity in [0, FIRST_BLOCK - 1, FIRST_BLOCK + 1, 1 << 20] {
            let mut other = BytesMut::with_capacity(capacity);
            assert!(!kept_after(&mut other), "{capacity}");
        }
    }

    // CORE-262
    #[cfg(any(feature = "json", feature = "cbor", feature = "msgpack"))]
    #[test]
    fn a_kept_buffer_comes_back_empty_and_once() {
        let mut first = buffer();
        first.extend_from_slice(b"body");
        let at = first.as_ptr();
        give_back(&mut first);

        let mut again = buffer();
        assert!(again.is_empty());
        assert_eq!(again.capacity(), FIRST_BLOCK);
        assert_eq!(again.as_ptr(), at, "the block is the first one's");
        again.extend_from_slice(&[7; FIRST_BLOCK]);
        assert_eq!(again.as_ptr(), at, "it has its room");
        assert_ne!(buffer().as_ptr(), at, "it is handed out once");
    }
}
