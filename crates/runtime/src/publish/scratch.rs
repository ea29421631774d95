//! The buffer that a publish outside a reply encodes into.

use std::cell::Cell;
use std::ops::{Deref, DerefMut};

use ruststream_core::BytesMut;

/// What one publish left over for the next one on its thread. A larger buffer is let go, so that
/// one large message does not stay in memory for ever.
const KEPT: usize = 64 * 1024;

thread_local! {
    static LEFT_OVER: Cell<Option<BytesMut>> = const { Cell::new(None) };
}

/// The thread's encode buffer, on loan to one publish.
///
/// A publisher that lends its payload thus costs no block in steady state; one that takes it never
/// touches the buffer. Whichever thread ends the publish, or drops it, keeps the buffer.
pub(super) struct Scratch(BytesMut);

impl Scratch {
    pub(super) fn take() -> Self {
        // A thread that is ending, where a destructor may still publish, has nothing left over.
        let left_over = LEFT_OVER.try_with(Cell::take).ok().flatten();
        Self(left_over.unwrap_or_default())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if (1..=KEPT).contains(&self.0.capacity()) {
            self.0.clear();
            // A thread that is ending has no place to keep it any more.
            let _ = LEFT_OVER.try_with(|kept| kept.set(Some(std::mem::take(&mut self.0))));
        }
    }
}

impl Deref for Scratch {
    type Target = BytesMut;
    fn deref(&self) -> &BytesMut {
        &self.0
    }
}

impl DerefMut for Scratch {
    fn deref_mut(&mut self) -> &mut BytesMut {
        &mut self.0
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    // PUB-172: what a thread owns may publish as it ends, when the buffer is gone already.
    #[test]
    fn a_thread_that_is_ending_gets_a_buffer_of_its_own() {
        struct Late(mpsc::Sender<usize>);
        impl Drop for Late {
            fn drop(&mut self) {
                let mut buffer = Scratch::take();
                buffer.extend_from_slice(b"late");
                let _ = self.0.send(buffer.len());
            }
        }
        thread_local! {
            static LATE: Cell<Option<Late>> = const { Cell::new(None) };
        }
        let (sender, received) = mpsc::channel();
        let thread = std::thread::spawn(move || {
            // What was used first is destroyed last.
            LATE.set(Some(Late(sender)));
            Scratch::take().extend_from_slice(b"early");
        });
        thread.join().expect("ends");
        assert_eq!(received.recv(), Ok(4));
    }

    // PUB-172
    #[test]
    fn a_buffer_comes_back_empty_unless_it_grew_too_large() {
        let mut first = Scratch::take();
        first.extend_from_slice(&[7; 100]);
        let at = first.as_ptr();
        drop(first);

        let mut second = Scratch::take();
        assert!(second.is_empty());
        second.extend_from_slice(&[7; 10]);
        assert_eq!(second.as_ptr(), at, "the block is the first one's");
        second.reserve(2 * KEPT);
        drop(second);

        assert_eq!(Scratch::take().capacity(), 0);
    }
}
