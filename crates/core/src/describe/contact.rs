use serde::Serialize;

/// Whom to ask about the application.
///
/// # Examples
///
/// ```
/// use ruststream_core::Contact;
///
/// let team = Contact::new().name("Depots").email("depots@example.org");
/// assert_eq!(team.name.as_deref(), Some("Depots"));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Contact {
    /// The person or team.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Where to find them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Where to write to them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
}

impl Contact {
    /// A contact without any detail, which the document leaves out.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            name: None,
            url: None,
            email: None,
        }
    }

    /// Names the person or team.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Says where to find them.
    #[must_use]
    pub fn url(mut self, url: impl Into<String>) -> Self {
        self.url = Some(url.into());
        self
    }

    /// Says where to write to them.
    #[must_use]
    pub fn email(mut self, email: impl Into<String>) -> Self {
        self.email = Some(email.into());
        self
    }

    /// Whether no detail is set.
    #[cfg(feature = "asyncapi")]
    #[doc(hidden)]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.name.is_none() && self.url.is_none() && self.email.is_none()
    }
}
