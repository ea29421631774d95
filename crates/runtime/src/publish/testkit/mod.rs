//! What the tests of publishing share.

#[cfg(feature = "json")]
mod encoded;
mod log;
mod recorder;
mod serialized;

use ruststream_core::HeaderMap;

#[cfg(feature = "json")]
pub(crate) use encoded::{Arrived, Gate, Label, Marked, ReadBack, Scan, Unencodable};
pub(crate) use log::warnings;
pub(crate) use recorder::{Delivery, Recorder, Refused, Sent, Urgency};
pub(crate) use serialized::{Held, Written};

/// The headers of a few literal pairs.
pub(crate) fn headers<const N: usize>(pairs: [(&'static str, &'static str); N]) -> HeaderMap {
    pairs.into_iter().collect()
}
