use std::fmt;
use std::str;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::{HeaderIntoIter, HeaderIter, HeaderMap};

/// How much of a value is shown.
const SHOWN: usize = 64;

/// Parts of names whose values are credentials as often as not.
const SECRET_NAMES: &[&str] = &[
    "access-key",
    "api-key",
    "apikey",
    "authorization",
    "cookie",
    "credential",
    "passw",
    "secret",
    "session",
    "signature",
    "token",
    "x-auth",
];

/// Shows the names, and the values as escaped text of limited length. The value of a name that
/// looks like a credential is left out.
impl fmt::Debug for HeaderMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self
            .iter()
            .map(|(name, value)| (name, Value { name, value }));
        f.debug_map().entries(shown).finish()
    }
}

struct Value<'a> {
    name: &'a str,
    value: &'a [u8],
}

impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if SECRET_NAMES.iter().any(|part| self.name.contains(part)) {
            return f.write_str("<redacted>");
        }
        let shown = &self.value[..self.value.len().min(SHOWN)];
        write!(f, "\"{}\"", shown.escape_ascii())?;
        if self.value.len() > SHOWN {
            write!(f, ".. ({} bytes)", self.value.len())?;
        }
        Ok(())
    }
}

/// A map from name to value, for diagnostics: text where the value is UTF-8, else bytes.
///
/// Unlike `Debug` it leaves nothing out.
impl Serialize for HeaderMap {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.len()))?;
        for (name, value) in self {
            match str::from_utf8(value) {
                Ok(text) => map.serialize_entry(name, text)?,
                Err(_) => map.serialize_entry(name, &Raw(value))?,
            }
        }
        map.end()
    }
}

struct Raw<'a>(&'a [u8]);

impl Serialize for Raw<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0)
    }
}

impl fmt::Debug for HeaderIter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.clone().map(|(name, _value)| name))
            .finish()
    }
}

impl fmt::Debug for HeaderIntoIter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HeaderIntoIter")
            .field("len", &self.len())
            .finish()
    }
}
