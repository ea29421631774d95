//! The pair of typed headers and body.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::axis::{Input, SoloPair};
use crate::reply::{EncodedReply, ReplyShape};

/// Typed headers beside a body, received or replied (RUN-191).
///
/// As an input the headers are read first, by the header contract's rules, then the body by the
/// codec; a failure of either is a decode failure. As a reply the headers are written over the
/// publisher's base headers.
///
/// ```
/// use ruststream_runtime::Message;
///
/// let scanned = Message::new(4_u32, "parcel");
/// assert_eq!((scanned.headers, scanned.body), (4, "parcel"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Message<H, P> {
    /// The typed headers.
    pub headers: H,
    /// The body.
    pub body: P,
}

impl<H, P> Message<H, P> {
    /// Pairs `headers` with `body`.
    #[must_use]
    pub const fn new(headers: H, body: P) -> Self {
        Self { headers, body }
    }
}

impl<H, P> Input for Message<H, P>
where
    H: DeserializeOwned + Send + Sync + 'static,
    P: DeserializeOwned + Send + Sync + 'static,
{
    type Axis = SoloPair<H, P>;
}

impl<H, P> ReplyShape for Message<H, P>
where
    H: Serialize + Send + Sync,
    P: Serialize + Send + Sync,
{
    type Body = P;
    type Headers = H;
    type Wire = EncodedReply;
}
