use std::fmt;

use serde::Serialize;

use crate::{BytesMut, HeaderMap, PayloadForm, SerializeHeadersError};

/// A message on its way to a [`Publisher`](crate::Publisher).
///
/// It borrows its name; payload and headers are the publisher's to take. `Payload` is
/// `&[u8]` for a transport that only reads the bytes and [`BytesMut`] for one that keeps them, see
/// [`PayloadForm`].
///
/// # Examples
///
/// ```
/// use ruststream_core::{HeaderMap, OutgoingMessage};
///
/// let message: OutgoingMessage<'_> = OutgoingMessage::new("parcels", b"body")
///     .with_headers(HeaderMap::from_iter([("tenant", "north")]));
/// let (name, payload, headers) = message.into_parts();
/// assert_eq!((name, payload, headers.len()), ("parcels", &b"body"[..], 1));
/// ```
#[derive(Clone)]
pub struct OutgoingMessage<'a, Payload = &'a [u8]> {
    name: &'a str,
    payload: Payload,
    headers: HeaderMap,
}

/// The message a publisher with the payload form `Form` receives.
pub type OutgoingFor<'a, Form> = OutgoingMessage<'a, <Form as PayloadForm>::Form<'a>>;

// CORE-101, PUB-151: name, payload and map, with no tag and no padding beside them.
const _: () = {
    use std::mem::size_of;
    assert!(
        size_of::<OutgoingMessage<'static>>()
            == size_of::<&str>() + size_of::<&[u8]>() + size_of::<HeaderMap>()
    );
    assert!(
        size_of::<OutgoingMessage<'static, BytesMut>>()
            == size_of::<&str>() + size_of::<BytesMut>() + size_of::<HeaderMap>()
    );
};

impl<'a, Payload> OutgoingMessage<'a, Payload> {
    /// A message without headers, around a payload that is already in its final form.
    #[must_use]
    pub fn with_payload(name: &'a str, payload: Payload) -> Self {
        Self::assembled(name, payload, HeaderMap::new())
    }

    #[doc(hidden)]
    pub fn assembled(name: &'a str, payload: Payload, headers: HeaderMap) -> Self {
        Self {
            name,
            payload,
            headers,
        }
    }

    /// Replaces the headers.
    #[must_use]
    pub fn with_headers(mut self, headers: HeaderMap) -> Self {
        self.headers = headers;
        self
    }

    /// Writes a header contract into the headers, one header per field, over those already there.
    ///
    /// # Errors
    ///
    /// A value that is not a flat struct, see [`HeaderMap::insert_typed`].
    pub fn with_typed_headers<T: Serialize + ?Sized>(
        mut self,
        value: &T,
    ) -> Result<Self, SerializeHeadersError> {
        self.headers.insert_typed(value)?;
        Ok(self)
    }

    /// The destination. It outlives the message.
    #[must_use]
    pub fn name(&self) -> &'a str {
        self.name
    }

    /// The payload, taken.
    #[must_use]
    pub fn into_payload(self) -> Payload {
        self.payload
    }

    /// The headers.
    #[must_use]
    pub fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// Name, payload and headers, each moved out.
    #[must_use]
    pub fn into_parts(self) -> (&'a str, Payload, HeaderMap) {
        (self.name, self.payload, self.headers)
    }
}

impl<'a, Payload: From<&'a [u8]>> OutgoingMessage<'a, Payload> {
    /// A message without headers around bytes that belong to the caller.
    ///
    /// They are lent to a publisher that reads, and copied once for one that keeps. Where nothing
    /// says which of the two it is, annotate: `let m: OutgoingMessage<'_> = ..`.
    #[must_use]
    pub fn new(name: &'a str, payload: &'a [u8]) -> Self {
        Self::with_payload(name, Payload::from(payload))
    }
}

impl<'a> OutgoingMessage<'a, BytesMut> {
    /// A message without headers around a buffer that is given away, without a copy.
    #[must_use]
    pub fn produced(name: &'a str, payload: BytesMut) -> Self {
        Self::with_payload(name, payload)
    }
}

impl<Payload: AsRef<[u8]>> OutgoingMessage<'_, Payload> {
    /// The payload bytes.
    #[must_use]
    pub fn payload(&self) -> &[u8] {
        self.payload.as_ref()
    }
}

/// Shows the destination and the header names; never the payload.
impl<Payload> fmt::Debug for OutgoingMessage<'_, Payload> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OutgoingMessage")
            .field("name", &self.name)
            .field("headers", &self.headers)
            .finish_non_exhaustive()
    }
}
