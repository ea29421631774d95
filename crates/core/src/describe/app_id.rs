use std::fmt;
use std::str::FromStr;

use serde::Serialize;

/// The identifier of an application: a URI.
///
/// # Examples
///
/// ```
/// use ruststream_core::{AppId, AppIdError};
///
/// let id: AppId = "urn:example:parcels".parse()?;
/// assert_eq!(id.as_str(), "urn:example:parcels");
/// assert_eq!("parcels".parse::<AppId>(), Err(AppIdError::NoScheme));
/// # Ok::<(), AppIdError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct AppId(String);

impl AppId {
    /// The URI.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Why a text is no [`AppId`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AppIdError {
    /// There is no colon, hence no scheme.
    #[error("an application id is a URI with a scheme, such as `urn:example:parcels`")]
    NoScheme,

    /// What is before the colon is no scheme.
    #[error(
        "the scheme of an application id is a letter followed by letters, digits, `+`, `-` or `.`"
    )]
    MalformedScheme,
}

/// A letter, then letters, digits, `+`, `-` and `.`, then a colon; after it anything.
fn check(uri: &str) -> Result<(), AppIdError> {
    let (scheme, _) = uri.split_once(':').ok_or(AppIdError::NoScheme)?;
    let rest_is_legal =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    match scheme.as_bytes() {
        [first, rest @ ..]
            if first.is_ascii_alphabetic() && rest.iter().copied().all(rest_is_legal) =>
        {
            Ok(())
        }
        _ => Err(AppIdError::MalformedScheme),
    }
}

impl FromStr for AppId {
    type Err = AppIdError;

    fn from_str(uri: &str) -> Result<Self, AppIdError> {
        check(uri).map(|()| Self(uri.to_owned()))
    }
}

impl TryFrom<&str> for AppId {
    type Error = AppIdError;

    fn try_from(uri: &str) -> Result<Self, AppIdError> {
        uri.parse()
    }
}

impl TryFrom<String> for AppId {
    type Error = AppIdError;

    fn try_from(uri: String) -> Result<Self, AppIdError> {
        check(&uri).map(|()| Self(uri))
    }
}

impl fmt::Display for AppId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}
