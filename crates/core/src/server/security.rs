#[cfg(feature = "json")]
use serde_json::Value;

/// How clients authenticate with a server, as the document states it.
///
/// # Examples
///
/// ```
/// use ruststream_core::{HttpApiKeyLocation, SecurityScheme};
///
/// let password = SecurityScheme::user_password().description("Issued per depot");
/// let key = SecurityScheme::http_api_key("x-api-key", HttpApiKeyLocation::Header);
/// assert_ne!(password, key);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecurityScheme {
    kind: Kind,
    description: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(
    not(feature = "asyncapi"),
    allow(dead_code, reason = "read by the document alone")
)]
enum Kind {
    /// A `type` that needs no further keys.
    Plain(&'static str),
    ApiKey(ApiKeyLocation),
    Http(String),
    HttpApiKey(String, HttpApiKeyLocation),
    OpenIdConnect(String),
    #[cfg(feature = "json")]
    OAuth2(Value),
    #[cfg(feature = "json")]
    Custom(Value),
}

/// Where an API key is sent in the connection's own credentials.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApiKeyLocation {
    /// In place of the user name.
    User,
    /// In place of the password.
    Password,
}

/// Where an API key is sent over HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HttpApiKeyLocation {
    /// In the query string.
    Query,
    /// In a header.
    Header,
    /// In a cookie.
    Cookie,
}

impl SecurityScheme {
    /// User name and password.
    #[must_use]
    pub fn user_password() -> Self {
        Self::of(Kind::Plain("userPassword"))
    }

    /// An API key in the connection's credentials.
    #[must_use]
    pub fn api_key(location: ApiKeyLocation) -> Self {
        Self::of(Kind::ApiKey(location))
    }

    /// A client certificate.
    #[must_use]
    pub fn x509() -> Self {
        Self::of(Kind::Plain("X509"))
    }

    /// SASL `PLAIN`.
    #[must_use]
    pub fn plain() -> Self {
        Self::of(Kind::Plain("plain"))
    }

    /// SASL `SCRAM-SHA-256`.
    #[must_use]
    pub fn scram_sha256() -> Self {
        Self::of(Kind::Plain("scramSha256"))
    }

    /// SASL `SCRAM-SHA-512`.
    #[must_use]
    pub fn scram_sha512() -> Self {
        Self::of(Kind::Plain("scramSha512"))
    }

    /// SASL `GSSAPI`.
    #[must_use]
    pub fn gssapi() -> Self {
        Self::of(Kind::Plain("gssapi"))
    }

    /// An HTTP authentication scheme, such as `bearer`.
    #[must_use]
    pub fn http(scheme: impl Into<String>) -> Self {
        Self::of(Kind::Http(scheme.into()))
    }

    /// An API key over HTTP, called `name`.
    #[must_use]
    pub fn http_api_key(name: impl Into<String>, location: HttpApiKeyLocation) -> Self {
        Self::of(Kind::HttpApiKey(name.into(), location))
    }

    /// Single sign-on by `OpenID` Connect, discovered at `url`.
    #[must_use]
    pub fn open_id_connect(url: impl Into<String>) -> Self {
        Self::of(Kind::OpenIdConnect(url.into()))
    }

    /// OAuth 2, with its flows object.
    #[cfg(feature = "json")]
    #[must_use]
    pub fn oauth2(flows: Value) -> Self {
        Self::of(Kind::OAuth2(flows))
    }

    /// A scheme object as given.
    #[cfg(feature = "json")]
    #[must_use]
    pub fn custom(object: Value) -> Self {
        Self::of(Kind::Custom(object))
    }

    /// Describes the scheme.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    fn of(kind: Kind) -> Self {
        Self {
            kind,
            description: None,
        }
    }

    /// The object the document carries.
    #[cfg(feature = "asyncapi")]
    #[doc(hidden)]
    #[must_use]
    pub fn document_object(&self) -> Value {
        use serde_json::json;

        let mut object = match &self.kind {
            Kind::Plain(kind) => json!({ "type": kind }),
            Kind::ApiKey(location) => json!({ "type": "apiKey", "in": location.as_str() }),
            Kind::Http(scheme) => json!({ "type": "http", "scheme": scheme }),
            Kind::HttpApiKey(name, location) => {
                json!({ "type": "httpApiKey", "name": name, "in": location.as_str() })
            }
            Kind::OpenIdConnect(url) => json!({ "type": "openIdConnect", "openIdConnectUrl": url }),
            Kind::OAuth2(flows) => json!({ "type": "oauth2", "flows": flows }),
            Kind::Custom(object) => object.clone(),
        };
        if let (Some(description), Some(object)) = (&self.description, object.as_object_mut()) {
            object.insert("description".to_owned(), description.as_str().into());
        }
        object
    }
}

#[cfg(feature = "asyncapi")]
impl ApiKeyLocation {
    const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Password => "password",
        }
    }
}

#[cfg(feature = "asyncapi")]
impl HttpApiKeyLocation {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Query => "query",
            Self::Header => "header",
            Self::Cookie => "cookie",
        }
    }
}
