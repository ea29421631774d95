//! Bindings: what a protocol says about servers, channels, operations and messages in the document.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

/// The protocol keys the `AsyncAPI` specification has bindings for, `websockets` beside its `ws`.
const PROTOCOLS: &[&str] = &[
    "amqp",
    "amqp1",
    "anypointmq",
    "googlepubsub",
    "http",
    "ibmmq",
    "jms",
    "kafka",
    "mercure",
    "mqtt",
    "mqtt5",
    "nats",
    "pulsar",
    "redis",
    "ros2",
    "sns",
    "solace",
    "sqs",
    "stomp",
    "websockets",
    "ws",
];

/// One binding object: what one protocol says at one place of the document.
///
/// # Examples
///
/// ```
/// use ruststream_core::bindings::{Binding, Bindings};
/// use serde::Serialize;
///
/// #[derive(Serialize)]
/// struct Queue {
///     queue: &'static str,
/// }
///
/// let binding = Binding::new("nats", "0.1.0", &Queue { queue: "workers" })?;
/// assert_eq!(binding.protocol(), "nats");
/// let bindings = Bindings::new().with(binding);
/// # assert!(!bindings.is_empty());
/// # Ok::<(), ruststream_core::bindings::BindingError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    key: &'static str,
    body: Map<String, Value>,
}

impl Binding {
    /// A binding of `protocol`, in the given version of that protocol's binding specification.
    ///
    /// The version is written into the object as `bindingVersion`.
    ///
    /// # Errors
    ///
    /// A protocol the specification does not list, checked first; a body that does not serialize,
    /// or not to an object.
    pub fn new<T: Serialize>(
        protocol: &'static str,
        version: &'static str,
        body: &T,
    ) -> Result<Self, BindingError> {
        if !PROTOCOLS.contains(&protocol) {
            return Err(BindingError::UnknownProtocol { protocol });
        }
        let mut binding = Self::from_body(protocol, serde_json::to_value(body)?)?;
        binding
            .body
            .insert("bindingVersion".to_owned(), version.into());
        Ok(binding)
    }

    /// A binding of a transport the specification does not list, under an `x-` name.
    ///
    /// # Errors
    ///
    /// A name that is not `x-` followed by ASCII letters, digits, `_`, `-` or `.`; a body that does
    /// not serialize, or not to an object.
    pub fn extension<T: Serialize>(name: &'static str, body: &T) -> Result<Self, BindingError> {
        if !is_extension(name) {
            return Err(BindingError::NotAnExtension { name });
        }
        Self::from_body(name, serde_json::to_value(body)?)
    }

    /// The protocol key, or the name of the extension.
    #[must_use]
    pub const fn protocol(&self) -> &'static str {
        self.key
    }

    fn from_body(key: &'static str, body: Value) -> Result<Self, BindingError> {
        match body {
            Value::Object(body) => Ok(Self { key, body }),
            _ => Err(BindingError::NotAnObject { key }),
        }
    }
}

fn is_extension(name: &str) -> bool {
    name.strip_prefix("x-").is_some_and(|rest| {
        let legal = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
        !rest.is_empty() && rest.bytes().all(legal)
    })
}

/// The bindings at one place of the document, one for each protocol.
///
/// An empty set does not reach the document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bindings(BTreeMap<&'static str, Map<String, Value>>);

impl Bindings {
    /// No bindings.
    #[must_use]
    pub const fn new() -> Self {
        Self(BTreeMap::new())
    }

    /// Adds `binding`, replacing one of the same protocol.
    #[must_use]
    pub fn with(mut self, binding: Binding) -> Self {
        self.0.insert(binding.key, binding.body);
        self
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds those of `other` whose protocol is missing here.
    #[doc(hidden)]
    pub fn fill_from(&mut self, other: &Self) {
        for (key, body) in &other.0 {
            self.0.entry(key).or_insert_with(|| body.clone());
        }
    }
}

/// A map from protocol key to binding object, sorted by key.
impl Serialize for Bindings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

/// The bindings of a subscription.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SubscriptionBindings {
    /// On the channel it reads.
    pub channel: Bindings,
    /// On its `receive` operation.
    pub operation: Bindings,
    /// On its messages.
    pub message: Bindings,
}

impl SubscriptionBindings {
    #[doc(hidden)]
    #[must_use]
    pub const fn new(channel: Bindings, operation: Bindings, message: Bindings) -> Self {
        Self {
            channel,
            operation,
            message,
        }
    }
}

/// The bindings of a publish position.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PublishBindings {
    /// On the channel it publishes to.
    pub channel: Bindings,
    /// On its `send` operation.
    pub operation: Bindings,
    /// On its messages.
    pub message: Bindings,
}

impl PublishBindings {
    #[doc(hidden)]
    #[must_use]
    pub const fn new(channel: Bindings, operation: Bindings, message: Bindings) -> Self {
        Self {
            channel,
            operation,
            message,
        }
    }
}

/// Why a binding could not be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BindingError {
    /// The specification has no bindings under this key.
    #[error(
        "the AsyncAPI specification lists no bindings of `{protocol}`: use \
         `Binding::extension(\"x-..\", ..)` for a transport of your own"
    )]
    UnknownProtocol {
        /// The key.
        protocol: &'static str,
    },

    /// The name is not that of an extension.
    #[error(
        "`{name}` is not the name of an extension: write `x-` followed by ASCII letters, digits, \
         `_`, `-` or `.`"
    )]
    NotAnExtension {
        /// The name.
        name: &'static str,
    },

    /// The body serializes to something other than an object.
    #[error(
        "the body of the binding `{key}` is not a JSON object: describe it by a struct or a map"
    )]
    NotAnObject {
        /// The protocol key, or the name of the extension.
        key: &'static str,
    },

    /// The body does not serialize.
    #[error("the body of the binding does not serialize: {0}")]
    Serialize(#[from] serde_json::Error),
}
