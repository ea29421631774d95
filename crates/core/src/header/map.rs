use std::slice;
use std::str;
use std::vec;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::entries::{Entries, Entry};
use super::value::Value;
use super::{DeserializeHeadersError, SerializeHeadersError, typed_read, typed_write};
use crate::{Bytes, Str};

/// The headers of a message: one value for each name.
///
/// Names are compared without regard to ASCII case and kept in lowercase; values are bytes. The map
/// validates nothing: a header a protocol cannot carry is refused by its publisher.
///
/// # Cost
///
/// Names and values are counted buffers, so cloning copies no bytes; the short texts a header
/// contract writes sit in the entry itself. An empty map owns no heap block. Lookup is a scan
/// without allocation: messages carry a handful of headers.
///
/// # Examples
///
/// ```
/// use ruststream_core::HeaderMap;
///
/// let mut headers = HeaderMap::new();
/// headers.insert("X-Tenant", "north");
/// assert_eq!(headers.get_str("x-tenant"), Some("north"));
/// assert_eq!(headers.iter().next(), Some(("x-tenant", &b"north"[..])));
/// ```
///
/// A value is anything that becomes [`Bytes`]. Text that is borrowed has to be copied first:
///
/// ```compile_fail,E0597
/// # use ruststream_core::HeaderMap;
/// # let mut headers = HeaderMap::new();
/// let tenant = String::from("north");
/// headers.insert("tenant", tenant.as_str());
/// # drop(tenant);
/// # headers.len();
/// ```
#[derive(Clone, Default)]
pub struct HeaderMap {
    // A handful of names is scanned faster than it is hashed.
    entries: Entries,
}

// Messages without headers are the common case: an absent map costs no more room than an empty one.
const _: () = assert!(size_of::<Option<HeaderMap>>() == 3 * size_of::<usize>());

impl HeaderMap {
    /// A map without headers. Allocates nothing.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            entries: Entries::new(),
        }
    }

    /// A map with room for `cap` headers. Allocates nothing for zero.
    #[must_use]
    pub fn with_capacity(cap: usize) -> Self {
        Self {
            entries: Entries::with_capacity(cap),
        }
    }

    /// Sets a header and returns the value it had.
    ///
    /// A header that is replaced keeps its place in the order of iteration.
    pub fn insert(&mut self, name: impl Into<Str>, value: impl Into<Bytes>) -> Option<Bytes> {
        self.set(lowercase(name.into()), Value::Shared(value.into()))
            .map(Value::into_bytes)
    }

    /// The value of a header.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        self.find(name).map(|entry| entry.value.as_slice())
    }

    /// The value of a header as a counted handle that outlives the borrow.
    ///
    /// Copies only a short text that [`insert_typed`](Self::insert_typed) wrote.
    ///
    /// # Examples
    ///
    /// ```
    /// use ruststream_core::{HeaderMap, Str};
    ///
    /// let headers = HeaderMap::from_iter([("reply-to", "inbox.7")]);
    /// let destination = Str::try_from(headers.get_shared("reply-to").unwrap()).unwrap();
    /// drop(headers);
    /// assert_eq!(&destination[..], "inbox.7");
    /// ```
    #[must_use]
    pub fn get_shared(&self, name: &str) -> Option<Bytes> {
        self.find(name)
            .map(|entry| entry.value.clone().into_bytes())
    }

    /// The value of a header as text; `None` also for a value that is not UTF-8.
    #[must_use]
    pub fn get_str(&self, name: &str) -> Option<&str> {
        self.get(name).and_then(|value| str::from_utf8(value).ok())
    }

    /// Takes a header out. The order of the others stays.
    pub fn remove(&mut self, name: &str) -> Option<Bytes> {
        let position = self
            .entries
            .iter()
            .position(|entry| entry.is_called(name))?;
        Some(self.entries.remove(position).value.into_bytes())
    }

    /// Whether there is a header of this name.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// How many headers there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The headers in the order they were first inserted, names in lowercase.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        HeaderIter(self.entries.iter())
    }

    /// As [`iter`](Self::iter), with counted handles that outlive the borrow.
    pub fn iter_shared(&self) -> impl Iterator<Item = (Str, Bytes)> {
        self.entries
            .iter()
            .map(|entry| (entry.name.clone(), entry.value.clone().into_bytes()))
    }

    /// The header `content-type`.
    #[must_use]
    pub fn content_type(&self) -> Option<&str> {
        self.get_str("content-type")
    }

    /// The header `correlation-id`.
    #[must_use]
    pub fn correlation_id(&self) -> Option<&str> {
        self.get_str("correlation-id")
    }

    /// The header `reply-to`.
    #[must_use]
    pub fn reply_to(&self) -> Option<&str> {
        self.get_str("reply-to")
    }

    /// The header `message-id`.
    #[must_use]
    pub fn message_id(&self) -> Option<&str> {
        self.get_str("message-id")
    }

    /// Writes a header contract: each field of a flat struct as one header, its value as text.
    ///
    /// `None` writes no header. Headers of other names stay; on an error the map is as it was.
    ///
    /// # Errors
    ///
    /// A contract that is not a flat struct (or a string-keyed map), or a field that does not fit
    /// into one header. Fields flattened by `serde` are refused.
    ///
    /// # Examples
    ///
    /// ```
    /// use ruststream_core::HeaderMap;
    /// use serde::Serialize;
    ///
    /// #[derive(Serialize)]
    /// struct ParcelMeta {
    ///     depot: u32,
    ///     #[serde(rename = "weight-g")]
    ///     weight_g: u64,
    ///     fragile: Option<bool>,
    /// }
    ///
    /// let mut headers = HeaderMap::new();
    /// headers.insert_typed(&ParcelMeta { depot: 4, weight_g: 950, fragile: None })?;
    /// assert_eq!((headers.len(), headers.get_str("Weight-G")), (2, Some("950")));
    /// # Ok::<(), ruststream_core::SerializeHeadersError>(())
    /// ```
    pub fn insert_typed<T: Serialize + ?Sized>(
        &mut self,
        value: &T,
    ) -> Result<(), SerializeHeadersError> {
        self.overwrite_with(typed_write::to_headers(value)?);
        Ok(())
    }

    /// Reads a header contract.
    #[doc(hidden)]
    pub fn to_typed<T: DeserializeOwned>(&self) -> Result<T, DeserializeHeadersError> {
        typed_read::from_headers(self)
    }

    /// Lays `other` over this map, name by name.
    #[doc(hidden)]
    pub fn overwrite_with(&mut self, other: Self) {
        if self.is_empty() {
            *self = other;
            return;
        }
        for Entry { name, value } in other.entries.into_vec() {
            self.set(name, value);
        }
    }

    /// Sets a header that a contract wrote.
    pub(super) fn write(&mut self, name: Str, value: Value) {
        self.set(lowercase(name), value);
    }

    /// Sets a header whose name is in lowercase already.
    fn set(&mut self, name: Str, value: Value) -> Option<Value> {
        if let Some(entry) = self.entries.iter_mut().find(|entry| entry.name == name) {
            return Some(std::mem::replace(&mut entry.value, value));
        }
        self.entries.push(Entry { name, value });
        None
    }

    fn find(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.is_called(name))
    }
}

impl Entry {
    fn is_called(&self, name: &str) -> bool {
        // Most callers ask in lowercase, and a comparison of equal bytes is the cheaper one.
        self.name.len() == name.len()
            && (*self.name == *name || self.name.eq_ignore_ascii_case(name))
    }
}

fn lowercase(name: Str) -> Str {
    if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        name.to_ascii_lowercase().into()
    } else {
        name
    }
}

/// Compares names and values, not their order.
impl PartialEq for HeaderMap {
    fn eq(&self, other: &Self) -> bool {
        self.entries == other.entries
            || self.len() == other.len()
                && self
                    .entries
                    .iter()
                    .all(|entry| other.entries.contains(entry))
    }
}

impl Eq for HeaderMap {}

/// Inserts in order: of two entries under one name, the later value stays.
impl<K, V> FromIterator<(K, V)> for HeaderMap
where
    K: Into<Str>,
    V: Into<Bytes>,
{
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut headers = Self::new();
        headers.extend(entries);
        headers
    }
}

/// Inserts in order, over what is there.
impl<K, V> Extend<(K, V)> for HeaderMap
where
    K: Into<Str>,
    V: Into<Bytes>,
{
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        let entries = entries.into_iter();
        self.entries.reserve(entries.size_hint().0);
        for (name, value) in entries {
            self.insert(name, value);
        }
    }
}

impl<'a> IntoIterator for &'a HeaderMap {
    type Item = (&'a str, &'a [u8]);
    type IntoIter = HeaderIter<'a>;

    fn into_iter(self) -> HeaderIter<'a> {
        HeaderIter(self.entries.iter())
    }
}

impl IntoIterator for HeaderMap {
    type Item = (Str, Bytes);
    type IntoIter = HeaderIntoIter;

    fn into_iter(self) -> HeaderIntoIter {
        HeaderIntoIter(self.entries.into_vec().into_iter())
    }
}

/// The headers of a map by reference, in order.
#[derive(Clone)]
pub struct HeaderIter<'a>(slice::Iter<'a, Entry>);

impl<'a> Iterator for HeaderIter<'a> {
    type Item = (&'a str, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        self.0
            .next()
            .map(|entry| (&*entry.name, entry.value.as_slice()))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl ExactSizeIterator for HeaderIter<'_> {}

/// The headers of a map by value, in order.
pub struct HeaderIntoIter(vec::IntoIter<Entry>);

impl Iterator for HeaderIntoIter {
    type Item = (Str, Bytes);

    fn next(&mut self) -> Option<Self::Item> {
        self.0
            .next()
            .map(|entry| (entry.name, entry.value.into_bytes()))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl ExactSizeIterator for HeaderIntoIter {}
