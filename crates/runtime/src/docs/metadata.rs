//! Registration metadata (RUN-460..464): complete at mount time, no connection needed.

use std::any::type_name;
use std::borrow::Cow;

#[cfg(feature = "asyncapi")]
use ruststream_core::bindings::{Bindings, PublishBindings, SubscriptionBindings};
use ruststream_core::codec::Codec;
use ruststream_core::{ConnectedBroker, PublishPolicy, RetryDeclaration};

/// One message a registration sends: what it is, where it goes and in which role.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct OutgoingMessageMetadata {
    /// The destination: a literal name, or a template with its placeholders in braces.
    pub channel: Cow<'static, str>,
    /// The Rust type of the message.
    pub message_type: &'static str,
    /// The declared name of the message.
    pub message_name: Option<&'static str>,
    /// The declared description of the message.
    pub message_description: Option<&'static str>,
    /// JSON Schema of the payload, as JSON text.
    pub payload_schema: Option<String>,
    /// JSON Schema of the headers, as JSON text.
    pub headers_schema: Option<String>,
    /// The placeholders of `channel`, in order of appearance.
    pub parameters: &'static [&'static str],
    /// Whether the message produces its own bytes, past any codec.
    pub serialized: bool,
    /// The role in which the message leaves.
    pub kind: OutgoingKind,
    /// The content type of the codec that encodes the message; `None` for self-serialized bytes.
    pub content_type: Option<&'static str>,
    /// Where a reply's address is found, when each delivery names its own.
    pub reply_address_location: Option<&'static str>,
    /// Whether a transform on the position names the destination of each delivery, which leaves
    /// `channel` only the fallback.
    pub destination_per_delivery: bool,
    /// The header value that tells this message from others of its set.
    pub discriminator: Option<HeaderDiscriminator>,
    /// Protocol bindings of the policy that publishes the message.
    #[cfg(feature = "asyncapi")]
    pub bindings: PublishBindings,
    /// Which slot of the handler a slot message leaves through, in signature order.
    slot: usize,
}

impl OutgoingMessageMetadata {
    /// A slot message of `message_type` on `channel`; everything else is empty.
    #[must_use]
    pub fn new(channel: impl Into<Cow<'static, str>>, message_type: &'static str) -> Self {
        Self {
            channel: channel.into(),
            message_type,
            message_name: None,
            message_description: None,
            payload_schema: None,
            headers_schema: None,
            parameters: &[],
            serialized: false,
            kind: OutgoingKind::SlotEntry,
            content_type: None,
            reply_address_location: None,
            destination_per_delivery: false,
            discriminator: None,
            #[cfg(feature = "asyncapi")]
            bindings: PublishBindings::new(Bindings::new(), Bindings::new(), Bindings::new()),
            slot: 0,
        }
    }

    /// Says which slot of the handler the message leaves through, counted in signature order.
    #[doc(hidden)]
    #[must_use]
    pub const fn in_slot(mut self, slot: usize) -> Self {
        self.slot = slot;
        self
    }

    /// A codec of type `C` encodes the message, unless the message is its own bytes (RUN-463).
    pub(crate) const fn encoded_as<C: Codec>(&mut self) {
        self.content_type = if self.serialized {
            None
        } else {
            Some(C::CONTENT_TYPE)
        };
    }

    /// Takes over what `policy`, which publishes the message, tells the document.
    #[cfg_attr(not(feature = "asyncapi"), allow(clippy::unused_self))]
    pub(crate) fn published_by<Conn, Policy>(&mut self, policy: &Policy)
    where
        Conn: ConnectedBroker,
        Policy: PublishPolicy<Conn>,
    {
        #[cfg(feature = "asyncapi")]
        {
            let channel = self.channel.as_ref();
            self.bindings = PublishBindings::new(
                policy.channel_bindings(channel),
                policy.operation_bindings(channel),
                policy.message_bindings(channel),
            );
        }
        #[cfg(not(feature = "asyncapi"))]
        let _ = policy;
    }

    /// Each delivery names where the message goes, and a requester finds it where `policy` says.
    pub(crate) fn addressed_per_delivery<Conn, Policy>(&mut self, policy: &Policy)
    where
        Conn: ConnectedBroker,
        Policy: PublishPolicy<Conn>,
    {
        self.destination_per_delivery = true;
        #[cfg(feature = "asyncapi")]
        {
            self.reply_address_location = policy.reply_address_location();
        }
        #[cfg(not(feature = "asyncapi"))]
        let _ = policy;
    }

    /// Whether the message leaves through the slot `slot`.
    pub(crate) const fn leaves_through(&self, slot: usize) -> bool {
        self.slot == slot && matches!(self.kind, OutgoingKind::SlotEntry)
    }

    /// Names the header value that marks this message within its set.
    #[must_use]
    pub const fn with_discriminator(mut self, discriminator: HeaderDiscriminator) -> Self {
        self.discriminator = Some(discriminator);
        self
    }

    /// Sets the role in which the message leaves.
    #[must_use]
    pub const fn with_kind(mut self, kind: OutgoingKind) -> Self {
        self.kind = kind;
        self
    }

    /// Sets the placeholders of the channel, in order of appearance.
    #[must_use]
    pub fn with_parameters(mut self, parameters: &'static [&'static str]) -> Self {
        self.parameters = parameters;
        self
    }

    /// Sets the declared message name.
    #[must_use]
    pub fn with_message_name(mut self, name: Option<&'static str>) -> Self {
        self.message_name = name;
        self
    }

    /// Sets the declared message description.
    #[must_use]
    pub fn with_message_description(mut self, description: Option<&'static str>) -> Self {
        self.message_description = description;
        self
    }

    /// Sets the JSON Schema of the payload, as JSON text.
    #[must_use]
    pub fn with_payload_schema(mut self, schema: Option<String>) -> Self {
        self.payload_schema = schema;
        self
    }

    /// Sets the JSON Schema of the headers, as JSON text.
    #[must_use]
    pub fn with_headers_schema(mut self, schema: Option<String>) -> Self {
        self.headers_schema = schema;
        self
    }

    /// Marks the message as producing its own bytes.
    #[must_use]
    pub fn with_serialized(mut self, serialized: bool) -> Self {
        self.serialized = serialized;
        self
    }

    /// Sets the content type of the codec in force.
    #[must_use]
    pub const fn with_content_type(mut self, content_type: Option<&'static str>) -> Self {
        self.content_type = content_type;
        self
    }
}

/// A header and the value that says which message of a set a delivery is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct HeaderDiscriminator {
    /// The header's name.
    pub header: &'static str,
    /// The value that selects this message, compared byte for byte.
    pub value: &'static str,
}

impl HeaderDiscriminator {
    /// A message told by `header` holding `value`.
    #[must_use]
    pub const fn new(header: &'static str, value: &'static str) -> Self {
        Self { header, value }
    }
}

/// One message of the set a registration receives.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct IncomingMessageMetadata {
    /// The Rust type of the message.
    pub message_type: &'static str,
    /// The declared name of the message.
    pub message_name: Option<&'static str>,
    /// The declared description of the message.
    pub message_description: Option<&'static str>,
    /// JSON Schema of the payload, as JSON text.
    pub payload_schema: Option<String>,
    /// JSON Schema of the headers, as JSON text.
    pub headers_schema: Option<String>,
    /// Whether the message constructs itself from the payload's bytes, past any codec.
    pub deserialized: bool,
    /// The content type of the codec that decodes the message; `None` for byte inputs.
    pub content_type: Option<&'static str>,
    /// The header value that selects this message.
    pub discriminator: Option<HeaderDiscriminator>,
}

impl IncomingMessageMetadata {
    /// A message of `message_type`; everything else is empty.
    #[must_use]
    pub const fn new(message_type: &'static str) -> Self {
        Self {
            message_type,
            message_name: None,
            message_description: None,
            payload_schema: None,
            headers_schema: None,
            deserialized: false,
            content_type: None,
            discriminator: None,
        }
    }

    /// Sets the declared message name.
    #[must_use]
    pub const fn with_message_name(mut self, name: Option<&'static str>) -> Self {
        self.message_name = name;
        self
    }

    /// Sets the declared message description.
    #[must_use]
    pub const fn with_message_description(mut self, description: Option<&'static str>) -> Self {
        self.message_description = description;
        self
    }

    /// Sets the JSON Schema of the payload, as JSON text.
    #[must_use]
    pub fn with_payload_schema(mut self, schema: Option<String>) -> Self {
        self.payload_schema = schema;
        self
    }

    /// Sets the JSON Schema of the headers, as JSON text.
    #[must_use]
    pub fn with_headers_schema(mut self, schema: Option<String>) -> Self {
        self.headers_schema = schema;
        self
    }

    /// Marks the message as constructing itself from the payload's bytes.
    #[must_use]
    pub const fn with_deserialized(mut self, deserialized: bool) -> Self {
        self.deserialized = deserialized;
        self
    }

    /// Names the header value that selects this message.
    #[must_use]
    pub const fn with_discriminator(mut self, discriminator: HeaderDiscriminator) -> Self {
        self.discriminator = Some(discriminator);
        self
    }
}

/// What one registration is: its subscription, what it receives and what it sends.
///
/// ```
/// use ruststream_runtime::HandlerMetadata;
///
/// let metadata = HandlerMetadata::typed::<u64>("parcels").with_description("Counts parcels.");
/// assert_eq!(metadata.name, "parcels");
/// assert_eq!(metadata.input_type, "u64");
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct HandlerMetadata {
    /// The subscription's name.
    pub name: Cow<'static, str>,
    /// The routing key the subscription selects by, where the broker has one.
    pub routing_key: Option<Cow<'static, str>>,
    /// The Rust type the handler takes, `bytes` for an undecoded payload.
    pub input_type: &'static str,
    /// The Rust type the handler answers with.
    pub output_type: Option<&'static str>,
    /// What the handler does, in prose.
    pub description: Option<Cow<'static, str>>,
    /// JSON Schema of the input's payload, as JSON text.
    pub payload_schema: Option<String>,
    /// JSON Schema of the input's headers, as JSON text.
    pub headers_schema: Option<String>,
    /// The declared name of the input message.
    pub message_name: Option<Cow<'static, str>>,
    /// The declared description of the input message.
    pub message_description: Option<Cow<'static, str>>,
    /// Every message the registration sends.
    pub outgoing: Vec<OutgoingMessageMetadata>,
    /// The messages of the input's set, in variant order; empty for a single type.
    pub incoming: Vec<IncomingMessageMetadata>,
    /// Whether the input constructs itself from the payload's bytes, past any codec.
    pub deserialized: bool,
    /// The label of the broker the registration is mounted on.
    pub server: Option<Cow<'static, str>>,
    /// The content type of the codec that decodes the input; `None` for byte inputs.
    pub content_type: Option<&'static str>,
    /// The declared retry cap and dead letter.
    pub retry: RetryDeclaration,
    /// Protocol bindings of the subscription.
    #[cfg(feature = "asyncapi")]
    pub bindings: SubscriptionBindings,
}

impl HandlerMetadata {
    /// A handler of undecoded payloads on the subscription `name`.
    #[must_use]
    pub fn raw(name: impl Into<Cow<'static, str>>) -> Self {
        Self::taking(name.into(), "bytes")
    }

    /// A handler of `T` on the subscription `name`.
    #[must_use]
    pub fn typed<T>(name: impl Into<Cow<'static, str>>) -> Self {
        Self::taking(name.into(), type_name::<T>())
    }

    fn taking(name: Cow<'static, str>, input_type: &'static str) -> Self {
        Self {
            name,
            routing_key: None,
            input_type,
            output_type: None,
            description: None,
            payload_schema: None,
            headers_schema: None,
            message_name: None,
            message_description: None,
            outgoing: Vec::new(),
            incoming: Vec::new(),
            deserialized: false,
            server: None,
            content_type: None,
            retry: RetryDeclaration::new(),
            #[cfg(feature = "asyncapi")]
            bindings: SubscriptionBindings::default(),
        }
    }

    /// Says in prose what the handler does.
    #[must_use]
    pub fn with_description(mut self, description: impl Into<Cow<'static, str>>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Sets the routing key the subscription selects by.
    #[must_use]
    pub fn with_routing_key(mut self, key: impl Into<Cow<'static, str>>) -> Self {
        self.routing_key = Some(key.into());
        self
    }

    /// Sets the Rust type the handler answers with.
    #[must_use]
    pub fn with_output_type(mut self, name: &'static str) -> Self {
        self.output_type = Some(name);
        self
    }

    /// Sets the JSON Schema of the input's payload, as JSON text.
    #[must_use]
    pub fn with_payload_schema(mut self, schema: impl Into<String>) -> Self {
        self.payload_schema = Some(schema.into());
        self
    }

    /// Sets the JSON Schema of the input's headers, as JSON text.
    #[must_use]
    pub fn with_headers_schema(mut self, schema: impl Into<String>) -> Self {
        self.headers_schema = Some(schema.into());
        self
    }

    /// Sets the declared name of the input message.
    #[must_use]
    pub fn with_message_name(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        self.message_name = Some(name.into());
        self
    }

    /// Sets the declared description of the input message.
    #[must_use]
    pub fn with_message_description(mut self, description: impl Into<Cow<'static, str>>) -> Self {
        self.message_description = Some(description.into());
        self
    }
}

/// The role in which a message leaves its registration.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OutgoingKind {
    /// A publish through an `Out` slot.
    #[default]
    SlotEntry,
    /// The reply of the handler.
    Answer,
    /// A delivery that used up its attempts.
    DeadLetter,
    /// A copy that brings a delivery back.
    RetryCopy,
}

#[cfg(test)]
mod tests {
    use super::*;

    // RUN-460
    #[test]
    fn raw_metadata_takes_bytes_and_typed_metadata_names_its_type() {
        assert_eq!(HandlerMetadata::raw("a").input_type, "bytes");
        assert_eq!(
            HandlerMetadata::typed::<String>("a").input_type,
            type_name::<String>()
        );
    }

    // RUN-460, API-07
    #[test]
    fn each_step_of_handler_metadata_sets_its_own_field() {
        let metadata = HandlerMetadata::raw("parcels")
            .with_description("d")
            .with_routing_key("k")
            .with_output_type("O")
            .with_payload_schema("{}")
            .with_headers_schema("true")
            .with_message_name("n")
            .with_message_description("m");

        assert_eq!(metadata.description.as_deref(), Some("d"));
        assert_eq!(metadata.routing_key.as_deref(), Some("k"));
        assert_eq!(metadata.output_type, Some("O"));
        assert_eq!(metadata.payload_schema.as_deref(), Some("{}"));
        assert_eq!(metadata.headers_schema.as_deref(), Some("true"));
        assert_eq!(metadata.message_name.as_deref(), Some("n"));
        assert_eq!(metadata.message_description.as_deref(), Some("m"));
        assert!(metadata.outgoing.is_empty() && metadata.incoming.is_empty());
    }

    // RUN-461, RUN-462, PUB-113, API-08
    #[test]
    fn outgoing_metadata_starts_as_a_bare_slot_entry() {
        let entry = OutgoingMessageMetadata::new("parcels.{city}", "Parcel");

        assert_eq!(entry.kind, OutgoingKind::SlotEntry);
        assert_eq!(OutgoingKind::default(), OutgoingKind::SlotEntry);
        assert!(!entry.destination_per_delivery && !entry.serialized);
        assert!(entry.parameters.is_empty() && entry.discriminator.is_none());
    }

    // RUN-461, API-08
    #[test]
    fn each_step_of_outgoing_metadata_sets_its_own_field() {
        let entry = OutgoingMessageMetadata::new("parcels.{city}", "Parcel")
            .with_discriminator(HeaderDiscriminator::new("kind", "parcel"))
            .with_kind(OutgoingKind::Answer)
            .with_parameters(&["city"])
            .with_message_name(Some("n"))
            .with_message_description(Some("m"))
            .with_payload_schema(Some("{}".into()))
            .with_headers_schema(Some("true".into()))
            .with_serialized(true)
            .with_content_type(Some("application/json"));

        assert_eq!(
            entry.discriminator,
            Some(HeaderDiscriminator::new("kind", "parcel"))
        );
        assert_eq!(entry.kind, OutgoingKind::Answer);
        assert_eq!(entry.parameters, ["city"]);
        assert_eq!(
            (entry.message_name, entry.message_description),
            (Some("n"), Some("m"))
        );
        assert_eq!(entry.payload_schema.as_deref(), Some("{}"));
        assert_eq!(entry.headers_schema.as_deref(), Some("true"));
        assert!(entry.serialized);
        assert_eq!(entry.content_type, Some("application/json"));
    }

    // RUN-462, API-09
    #[test]
    fn incoming_metadata_carries_what_its_steps_set() {
        let entry = IncomingMessageMetadata::new("Parcel")
            .with_message_name(Some("n"))
            .with_message_description(Some("m"))
            .with_payload_schema(Some("{}".into()))
            .with_headers_schema(None)
            .with_deserialized(true)
            .with_discriminator(HeaderDiscriminator::new("kind", "parcel"));

        assert_eq!(
            (entry.message_name, entry.message_description),
            (Some("n"), Some("m"))
        );
        assert_eq!(entry.payload_schema.as_deref(), Some("{}"));
        assert!(entry.deserialized && entry.headers_schema.is_none());
        assert_eq!(entry.discriminator.map(|d| d.value), Some("parcel"));
    }
}
