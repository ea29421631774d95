//! Bytes as text.

use std::str;

/// The bytes as text, if they are UTF-8.
///
/// The one place in the framework that needs `unsafe`. Most documents are ASCII, which is looked at
/// in vector instructions; the check for UTF-8 that would be its safe form looks at every character
/// and cost 70 of the 1,360 instructions of a small JSON delivery, 350 of one of 1 KB (a crate that
/// checks in vector instructions was no better on small ones).
#[inline]
#[expect(unsafe_code, reason = "measured; see above")]
pub(super) fn text(bytes: &[u8]) -> Option<&str> {
    if bytes.is_ascii() {
        // SAFETY: every byte is below 0x80, and each such byte by itself is a whole character in
        // UTF-8. The text borrows `bytes`, so nobody writes to them while it is there.
        return Some(unsafe { str::from_utf8_unchecked(bytes) });
    }
    str::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        // CORE-002: what the unchecked form is right about, byte by byte.
        #[test]
        fn text_is_what_a_full_check_says_it_is(bytes: Vec<u8>) {
            prop_assert_eq!(text(&bytes), str::from_utf8(&bytes).ok());
        }

        #[test]
        fn ascii_is_the_text_it_was(mut written in "[ -~\\t\\n]{0,200}", end: u8) {
            prop_assert_eq!(text(written.as_bytes()), Some(written.as_str()));
            written.push('é');
            prop_assert_eq!(text(written.as_bytes()), Some(written.as_str()));
            let mut bytes = written.into_bytes();
            bytes.push(end | 0x80);
            prop_assert_eq!(text(&bytes), None);
        }
    }

    #[test]
    fn every_single_byte_is_told_apart() {
        for byte in 0..=u8::MAX {
            assert_eq!(text(&[byte]).is_some(), byte < 0x80);
        }
    }
}
