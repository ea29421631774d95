use std::fmt::{self, Display};

use ruststream_core::{HeaderMap, IncomingMessage};

use super::{Shown, Step};

const NAME: &str = "x-conformance-name";
const BYTES: &str = "x-conformance-bytes";

/// A message that has to arrive as it is: bytes that are no text, and headers.
#[derive(Debug, Clone)]
pub(crate) struct Sample {
    pub(crate) payload: Vec<u8>,
    pub(crate) headers: HeaderMap,
}

impl Sample {
    /// One that differs from that of any other name.
    pub(crate) fn named(name: &str) -> Self {
        Self {
            payload: [name.as_bytes(), b"\x00\xff\r\nend"].concat(),
            headers: HeaderMap::from_iter([
                (NAME, name.as_bytes().to_vec()),
                (BYTES, b"\x01\xfe\xc3\x28".to_vec()),
            ]),
        }
    }

    pub(crate) fn numbered(name: &str, count: usize) -> Vec<Self> {
        (1..=count)
            .map(|number| Self::named(&format!("{name} {number}")))
            .collect()
    }

    /// This message and, for a transport that refuses headers that are no text, or all of them,
    /// the same one without.
    pub(crate) fn offers(self) -> [Self; 3] {
        let mut text = self.clone();
        text.headers.remove(BYTES);
        let mut plain = text.clone();
        plain.headers.remove(NAME);
        [self, text, plain]
    }

    /// A delivery must be this message.
    pub(crate) fn is(&self, step: Step<'_>, delivery: &impl IncomingMessage) {
        if let Some(difference) = Difference::of(&self.payload, delivery.payload()) {
            step.fail(difference);
        }
        self.has_headers(step, delivery.headers());
    }

    /// Headers beside those of the message are the transport's own.
    pub(crate) fn has_headers(&self, step: Step<'_>, came: &HeaderMap) {
        for (name, value) in self.headers.iter() {
            let came = came.get(name);
            step.require(
                came == Some(value),
                format_args!(
                    "the header `{name}` of {} was published as {} and came as {}",
                    Shown(&self.payload),
                    Shown(value),
                    came.map_or_else(|| "nothing".to_owned(), |value| Shown(value).to_string()),
                ),
            );
        }
    }
}

/// How the bytes that came differ from those that were due.
pub(crate) struct Difference<'p> {
    due: &'p [u8],
    came: &'p [u8],
}

impl<'p> Difference<'p> {
    pub(crate) fn of(due: &'p [u8], came: &'p [u8]) -> Option<Self> {
        (due != came).then_some(Self { due, came })
    }
}

impl Display for Difference<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { due, came } = self;
        write!(f, "{} came where {} was due", Shown(came), Shown(due))?;
        if due.starts_with(came) {
            return write!(f, ": cut at byte {} of {}", came.len(), due.len());
        }
        let equal = due.iter().zip(*came).take_while(|(due, came)| due == came);
        write!(f, ": they differ from byte {} on", equal.count())
    }
}
