//! The message a publish path edits before it leaves.

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::mem;
use std::ops::Deref;

use ruststream_core::{
    BytesMut, HeaderMap, HeldPayload, OutgoingFor, OutgoingMessage, PayloadForm, Publisher, Str,
};

/// A message on its way out, which transforms and publish layers may still change.
///
/// Nothing is copied until it is written: a payload stays where it was lent or produced until the
/// first [`payload_mut`](Self::payload_mut), a borrowed destination stays borrowed.
///
/// ```
/// use ruststream_runtime::Outgoing;
///
/// let mut out = Outgoing::new("parcels", &b"7"[..]);
/// out.payload_mut().extend_from_slice(b"!");
/// out.headers_mut().insert("tenant", "acme");
/// out.set_name(String::from("parcels.acme"));
/// assert_eq!((out.name(), out.payload()), ("parcels.acme", &b"7!"[..]));
/// ```
#[derive(Clone)]
pub struct Outgoing<'a> {
    name: OutgoingName<'a>,
    payload: HeldPayload<'a>,
    headers: HeaderMap,
}

impl<'a> Outgoing<'a> {
    /// A message with no headers; the payload becomes a buffer of its own.
    #[must_use]
    pub fn new(name: impl Into<OutgoingName<'a>>, payload: impl Into<BytesMut>) -> Self {
        Self {
            name: name.into(),
            payload: HeldPayload::Owned(payload.into()),
            headers: HeaderMap::new(),
        }
    }

    /// Holds a payload in the form its publisher will get it back in; copies nothing.
    #[inline]
    pub(crate) fn holding<F: PayloadForm>(
        name: impl Into<OutgoingName<'a>>,
        payload: F::Form<'a>,
        headers: HeaderMap,
    ) -> Self {
        Self {
            name: name.into(),
            payload: F::hold(payload),
            headers,
        }
    }

    /// Opens an assembled message for editing; copies nothing.
    #[inline]
    pub(crate) fn of<F: PayloadForm>(message: OutgoingFor<'a, F>) -> Self {
        let (name, payload, headers) = message.into_parts();
        Self::holding::<F>(name, payload, headers)
    }

    /// The message as a publisher takes it; leaves the payload and the headers here empty.
    #[inline]
    pub(crate) fn leaving<F: PayloadForm>(&mut self) -> OutgoingFor<'_, F> {
        let Self {
            name,
            payload,
            headers,
        } = self;
        OutgoingMessage::assembled(name.as_str(), F::release(payload), mem::take(headers))
    }

    /// Publishes what this message has become.
    #[inline]
    pub(crate) fn send_through<P: Publisher>(
        &mut self,
        publisher: &P,
        options: Option<&P::Options>,
    ) -> impl Future<Output = Result<(), P::Error>> + Send {
        publisher.publish(self.leaving::<P::Payload>(), options)
    }

    /// Where the message goes.
    #[must_use]
    pub fn name(&self) -> &str {
        self.name.as_str()
    }

    /// Sends the message elsewhere. A `&str` is borrowed, a `String` moves in, a [`Str`] is shared.
    pub fn set_name(&mut self, name: impl Into<OutgoingName<'a>>) {
        self.name = name.into();
    }

    /// The payload as it stands; reading it never copies.
    #[must_use]
    pub fn payload(&self) -> &[u8] {
        self.payload.as_slice()
    }

    /// The payload for writing. A payload that is still lent is copied on the first call, once.
    pub fn payload_mut(&mut self) -> &mut BytesMut {
        if let HeldPayload::Lent(bytes) = self.payload {
            self.payload = HeldPayload::Owned(BytesMut::from(bytes));
        }
        match &mut self.payload {
            HeldPayload::Owned(buffer) => buffer,
            HeldPayload::Lent(_) => unreachable!("a lent payload was copied just above"),
        }
    }

    /// Replaces the payload.
    pub fn set_payload(&mut self, payload: impl Into<BytesMut>) {
        self.payload = HeldPayload::Owned(payload.into());
    }

    /// The headers written so far.
    #[must_use]
    pub fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// The headers for writing.
    pub fn headers_mut(&mut self) -> &mut HeaderMap {
        &mut self.headers
    }
}

impl fmt::Debug for Outgoing<'_> {
    /// Names the destination and the sizes; neither payload nor header values are shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outgoing")
            .field("name", &self.name())
            .field("payload_len", &self.payload().len())
            .field("headers_len", &self.headers.len())
            .finish()
    }
}

/// A destination in the form it came in. Two names are equal when their text is, whatever the form.
#[derive(Debug, Clone)]
pub enum OutgoingName<'a> {
    /// A literal, or a name someone else keeps.
    Borrowed(&'a str),
    /// A computed name.
    Owned(String),
    /// A name that shares its buffer, such as a header value of a delivery.
    Shared(Str),
}

impl OutgoingName<'_> {
    /// The text of the name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Borrowed(name) => name,
            Self::Owned(name) => name,
            Self::Shared(name) => name,
        }
    }
}

impl Deref for OutgoingName<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl AsRef<str> for OutgoingName<'_> {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl fmt::Display for OutgoingName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl PartialEq for OutgoingName<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for OutgoingName<'_> {}

impl Hash for OutgoingName<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl<'a> From<&'a str> for OutgoingName<'a> {
    fn from(name: &'a str) -> Self {
        Self::Borrowed(name)
    }
}

impl From<String> for OutgoingName<'_> {
    fn from(name: String) -> Self {
        Self::Owned(name)
    }
}

impl From<Str> for OutgoingName<'_> {
    fn from(name: Str) -> Self {
        Self::Shared(name)
    }
}

impl<'a> From<Cow<'a, str>> for OutgoingName<'a> {
    fn from(name: Cow<'a, str>) -> Self {
        match name {
            Cow::Borrowed(name) => Self::Borrowed(name),
            Cow::Owned(name) => Self::Owned(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::hash_map::DefaultHasher;

    use ruststream_core::{Bytes, Lend, Take};

    use super::*;
    use crate::publish::testkit::headers;

    fn hash(name: &OutgoingName<'_>) -> u64 {
        let mut hasher = DefaultHasher::new();
        name.hash(&mut hasher);
        hasher.finish()
    }

    // CORE-106, PUB-161
    #[test]
    fn a_lent_payload_stays_where_it_is_until_it_is_written() {
        let lent = b"parcel".to_vec();
        let mut out = Outgoing::holding::<Lend>("a", &lent, HeaderMap::new());
        assert_eq!(out.payload().as_ptr(), lent.as_ptr());

        out.payload_mut().extend_from_slice(b"!");
        let own = out.payload().as_ptr();
        out.payload_mut()[0] = b'P';

        assert_eq!(out.payload(), b"Parcel!");
        assert_eq!(out.payload().as_ptr(), own, "later writes do not copy");
        assert_eq!(lent, b"parcel", "the lent bytes are unchanged");
    }

    // PUB-161
    #[test]
    fn set_payload_replaces_a_lent_payload() {
        let mut out = Outgoing::holding::<Lend>("a", b"old", HeaderMap::new());
        out.set_payload(&b"new"[..]);
        assert_eq!(out.payload(), b"new");
    }

    // PUB-173
    #[test]
    fn a_produced_payload_leaves_at_its_own_address() {
        let produced = BytesMut::from(&b"parcel"[..]);
        let at = produced.as_ptr();
        let mut out = Outgoing::holding::<Take>("a", produced, HeaderMap::new());

        let left = Vec::from(out.leaving::<Take>().into_payload());

        assert_eq!(left.as_ptr(), at);
    }

    // PUB-161
    #[test]
    fn reading_costs_a_lent_payload_no_copy_on_its_way_to_a_lending_publisher() {
        let lent = b"parcel".to_vec();
        let mut out = Outgoing::holding::<Lend>("a", &lent, HeaderMap::new());
        assert_eq!(out.payload(), b"parcel");

        assert_eq!(out.leaving::<Lend>().into_payload().as_ptr(), lent.as_ptr());
    }

    // CORE-111
    #[test]
    fn lent_bytes_are_copied_for_a_publisher_that_keeps_them() {
        let mut out = Outgoing::holding::<Lend>("a", b"parcel", HeaderMap::new());
        assert_eq!(&out.leaving::<Take>().into_payload()[..], b"parcel");
    }

    // PUB-174
    #[test]
    fn headers_move_into_the_message_that_leaves() {
        let mut out = Outgoing::new("a", &b""[..]);
        out.headers_mut().insert("tenant", vec![b'x'; 64]);
        let at = out.headers().get("tenant").map(<[u8]>::as_ptr);

        let (name, _, left) = out.leaving::<Take>().into_parts();

        assert_eq!(name, "a");
        assert_eq!(left.get("tenant").map(<[u8]>::as_ptr), at);
    }

    // CORE-107, PUB-160
    #[test]
    fn a_destination_is_never_copied() {
        let literal = "parcels";
        let computed = String::from("parcels.acme");
        let computed_at = computed.as_ptr();
        let map = headers([("reply-to", "inbox.7")]);
        let value: Bytes = map.get_shared("reply-to").expect("present");
        let shared_at = value.as_ptr();

        let mut out = Outgoing::new(literal, &b""[..]);
        assert_eq!(out.name().as_ptr(), literal.as_ptr());
        out.set_name(computed);
        assert_eq!(out.name().as_ptr(), computed_at);
        out.set_name(Str::try_from(value).expect("UTF-8"));
        assert_eq!((out.name(), out.name().as_ptr()), ("inbox.7", shared_at));
    }

    // PUB-162
    #[test]
    fn names_compare_and_hash_by_text() {
        let borrowed = OutgoingName::from("parcels");
        let owned = OutgoingName::from(String::from("parcels"));
        let shared = OutgoingName::from(Str::from("parcels"));

        assert_eq!(borrowed, owned);
        assert_eq!(owned, shared);
        assert_eq!(hash(&borrowed), hash(&owned));
        assert_eq!(hash(&owned), hash(&shared));
        assert_ne!(borrowed, OutgoingName::from(Cow::Borrowed("letters")));
        assert_eq!(shared.to_string(), "parcels");
    }

    #[test]
    fn debug_shows_neither_payload_nor_header_values() {
        let mut out = Outgoing::new("parcels", &b"secret"[..]);
        out.headers_mut().insert("token", "hidden");

        let shown = format!("{out:?}");

        assert!(shown.contains("parcels"));
        assert!(!shown.contains("secret") && !shown.contains("hidden"));
    }
}
