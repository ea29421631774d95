use crate::{Bytes, HeaderMap, Str};

/// An owned snapshot of a message, for publish logs and tests.
///
/// Cloning it copies neither the name nor the payload.
///
/// # Examples
///
/// ```
/// use ruststream_core::{HeaderMap, RawMessage};
///
/// let headers = HeaderMap::from_iter([("tenant", "north")]);
/// let message = RawMessage::new("parcels", "body").with_headers(headers);
/// assert_eq!((message.name(), message.payload()), ("parcels", &b"body"[..]));
/// assert_eq!(message.headers().get_str("tenant"), Some("north"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawMessage {
    name: Str,
    payload: Bytes,
    headers: HeaderMap,
}

impl RawMessage {
    /// A message without headers.
    pub fn new(name: impl Into<Str>, payload: impl Into<Bytes>) -> Self {
        Self {
            name: name.into(),
            payload: payload.into(),
            headers: HeaderMap::new(),
        }
    }

    /// Replaces the headers.
    #[must_use]
    pub fn with_headers(mut self, headers: HeaderMap) -> Self {
        self.headers = headers;
        self
    }

    /// The name it was published to.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The payload bytes.
    #[must_use]
    pub fn payload(&self) -> &[u8] {
        &self.payload
    }

    /// The payload as a counted handle, without a copy.
    #[must_use]
    pub fn payload_bytes(&self) -> Bytes {
        self.payload.clone()
    }

    /// The headers.
    #[must_use]
    pub fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// The headers, to change.
    pub fn headers_mut(&mut self) -> &mut HeaderMap {
        &mut self.headers
    }
}
