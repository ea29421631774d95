//! The name a message was published to, as a value that is cheap to copy.

use std::borrow::Borrow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str;
use std::sync::Arc;

/// Fills the enum up to four words, which the shared form needs three of anyway.
const INLINE: usize = 30;

/// A name; up to [`INLINE`] bytes lie in the value itself.
///
/// A message owns its name without a count shared by every message of that name, which two threads
/// would pass back and forth.
#[derive(Clone)]
pub(crate) enum Name {
    Inline { len: u8, bytes: [u8; INLINE] },
    Shared(Arc<str>),
}

impl Name {
    pub(crate) fn new(name: &str) -> Self {
        let mut bytes = [0; INLINE];
        match (bytes.get_mut(..name.len()), u8::try_from(name.len())) {
            (Some(place), Ok(len)) => {
                place.copy_from_slice(name.as_bytes());
                Self::Inline { len, bytes }
            }
            _ => Self::Shared(name.into()),
        }
    }

    #[inline]
    pub(crate) fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Inline { len, bytes } => bytes.get(..usize::from(*len)).unwrap_or_default(),
            Self::Shared(name) => name.as_bytes(),
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        match self {
            // Copied from a whole `str`, so the check never fails.
            Self::Inline { .. } => str::from_utf8(self.as_bytes()).unwrap_or_default(),
            Self::Shared(name) => name,
        }
    }
}

impl PartialEq for Name {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for Name {}

impl Hash for Name {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_bytes().hash(state);
    }
}

impl Borrow<[u8]> for Name {
    fn borrow(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_and_long_names_read_back_as_given() {
        for name in [
            "",
            "parcels",
            &"ü".repeat(15),
            &"ü".repeat(16),
            &"n".repeat(300),
        ] {
            assert_eq!(Name::new(name).as_str(), name);
        }
    }

    #[test]
    fn a_name_is_four_words() {
        assert_eq!(size_of::<Name>(), 32);
    }
}
