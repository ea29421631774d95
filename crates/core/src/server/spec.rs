use super::SecurityScheme;
use super::host::host_from_url;
#[cfg(feature = "asyncapi")]
use crate::bindings::Bindings;

/// What the document says about a server.
///
/// # Examples
///
/// ```
/// use ruststream_core::{SecurityScheme, ServerSpec};
///
/// let spec = ServerSpec::from_url("amqp://svc:secret@mq:5672/prod", "amqp")
///     .description("Parcels of the northern depots")
///     .security(SecurityScheme::user_password());
/// assert_eq!(spec.host.as_deref(), Some("mq:5672"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerSpec {
    /// Host and port; `None` for a broker that runs in the process.
    pub host: Option<String>,
    /// The protocol, such as `nats`.
    pub protocol: String,
    /// The version of the protocol.
    pub protocol_version: Option<String>,
    /// What the server is for.
    pub description: Option<String>,
    /// How clients authenticate, in the order they were stated.
    pub security: Vec<SecurityScheme>,
    /// What a protocol says about its servers.
    #[cfg(feature = "asyncapi")]
    pub bindings: Bindings,
}

impl ServerSpec {
    /// A server at `host`, which is reported as it is.
    ///
    /// For a URL use [`from_url`](Self::from_url): it leaves out what must not be published.
    #[must_use]
    pub fn new(host: impl Into<String>, protocol: impl Into<String>) -> Self {
        Self {
            host: Some(host.into()),
            ..Self::in_process(protocol)
        }
    }

    /// A server at the host and port of `url`, see [`host_from_url`](Self::host_from_url).
    #[must_use]
    pub fn from_url(url: &str, protocol: impl Into<String>) -> Self {
        Self::new(Self::host_from_url(url), protocol)
    }

    /// A server reached at any of `urls`: their hosts and ports, joined by commas.
    ///
    /// # Examples
    ///
    /// ```
    /// use ruststream_core::ServerSpec;
    ///
    /// let spec = ServerSpec::from_urls(["nats://token@n1:4222", "nats://n2:4222"], "nats");
    /// assert_eq!(spec.host.as_deref(), Some("n1:4222,n2:4222"));
    /// ```
    #[must_use]
    pub fn from_urls<U: AsRef<str>>(
        urls: impl IntoIterator<Item = U>,
        protocol: impl Into<String>,
    ) -> Self {
        let mut hosts = String::new();
        for (position, url) in urls.into_iter().enumerate() {
            if position > 0 {
                hosts.push(',');
            }
            hosts.push_str(host_from_url(url.as_ref()));
        }
        Self::new(hosts, protocol)
    }

    /// The host and port of `url`, without scheme, user, password, path, query and fragment.
    ///
    /// It never fails: of text that is no URL it makes the best it can.
    ///
    /// A `/`, `?` or `#` in a password is recognised even where it was not percent-encoded, unless
    /// what precedes it looks just like a host: a user name without a password, digits that could be
    /// a port, the text behind an unescaped `@`. Percent-encode those.
    #[must_use]
    pub fn host_from_url(url: &str) -> String {
        host_from_url(url).to_owned()
    }

    /// A broker that runs in this process and has no address.
    #[must_use]
    pub fn in_process(protocol: impl Into<String>) -> Self {
        Self {
            host: None,
            protocol: protocol.into(),
            protocol_version: None,
            description: None,
            security: Vec::new(),
            #[cfg(feature = "asyncapi")]
            bindings: Bindings::new(),
        }
    }

    /// Says what the server is for.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Says the version of the protocol.
    #[must_use]
    pub fn protocol_version(mut self, version: impl Into<String>) -> Self {
        self.protocol_version = Some(version.into());
        self
    }

    /// Adds a way in which clients authenticate.
    #[must_use]
    pub fn security(mut self, scheme: SecurityScheme) -> Self {
        self.security.push(scheme);
        self
    }

    /// Replaces the bindings.
    #[cfg(feature = "asyncapi")]
    #[must_use]
    pub fn bindings(mut self, bindings: Bindings) -> Self {
        self.bindings = bindings;
        self
    }
}
