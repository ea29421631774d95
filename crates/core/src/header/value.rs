use std::fmt;

use crate::Bytes;

/// The value of one header: a counted buffer, or a short text that needs none.
///
/// What a caller inserts is kept as it came, so that it stays shared. What a header contract
/// writes is mostly numbers, and those fit into the entry itself.
#[derive(Clone)]
pub(super) enum Value {
    Shared(Bytes),
    Short(Short),
}

// The vtable pointer of `Bytes` tells the two apart, so a short value costs no room.
const _: () = assert!(size_of::<Value>() == size_of::<Bytes>());

/// Longer than any 64-bit number.
const SHORT: usize = 23;

#[derive(Clone)]
pub(super) struct Short {
    len: u8,
    text: [u8; SHORT],
}

impl Value {
    #[inline]
    pub(super) fn as_slice(&self) -> &[u8] {
        match self {
            Self::Shared(bytes) => bytes,
            Self::Short(short) => short.as_slice(),
        }
    }

    /// A counted handle. Makes a buffer of its own for a short value.
    pub(super) fn into_bytes(self) -> Bytes {
        match self {
            Self::Shared(bytes) => bytes,
            Self::Short(short) => Bytes::copy_from_slice(short.as_slice()),
        }
    }

    /// A copy of bytes that belong to somebody else.
    pub(super) fn copied(bytes: &[u8]) -> Self {
        let mut short = Short::EMPTY;
        match short.push(bytes) {
            Ok(()) => Self::Short(short),
            Err(TooLong) => Self::Shared(Bytes::copy_from_slice(bytes)),
        }
    }

    /// The text of a value, as `Display` writes it.
    pub(super) fn display(value: impl fmt::Display) -> Result<Self, fmt::Error> {
        use fmt::Write as _;

        let mut text = Display::Short(Short::EMPTY);
        write!(text, "{value}")?;
        Ok(match text {
            Display::Short(short) => Self::Short(short),
            Display::Long(text) => Self::Shared(text.into()),
        })
    }

    /// The decimal digits of a number.
    pub(super) fn decimal(negative: bool, mut magnitude: u64) -> Self {
        let mut text = [0; SHORT];
        let mut from = SHORT;
        loop {
            from -= 1;
            text[from] = b'0' + (magnitude % 10) as u8;
            magnitude /= 10;
            if magnitude == 0 {
                break;
            }
        }
        if negative {
            from -= 1;
            text[from] = b'-';
        }
        Self::copied(&text[from..])
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl Eq for Value {}

struct TooLong;

impl Short {
    const EMPTY: Self = Self {
        len: 0,
        text: [0; SHORT],
    };

    #[inline]
    fn as_slice(&self) -> &[u8] {
        &self.text[..usize::from(self.len)]
    }

    #[inline]
    fn push(&mut self, bytes: &[u8]) -> Result<(), TooLong> {
        let from = usize::from(self.len);
        let to = from + bytes.len();
        self.text
            .get_mut(from..to)
            .ok_or(TooLong)?
            .copy_from_slice(bytes);
        // It is within the text, hence below 24.
        #[expect(clippy::cast_possible_truncation)]
        {
            self.len = to as u8;
        }
        Ok(())
    }
}

/// Text as it is being written, which moves to the heap once it is too long.
enum Display {
    Short(Short),
    Long(String),
}

impl fmt::Write for Display {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        match self {
            Self::Short(short) => {
                if short.push(part.as_bytes()).is_err() {
                    let begun = String::from_utf8_lossy(short.as_slice());
                    *self = Self::Long(format!("{begun}{part}"));
                }
            }
            Self::Long(text) => text.push_str(part),
        }
        Ok(())
    }
}
