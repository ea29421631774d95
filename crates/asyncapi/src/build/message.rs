//! What a message is called and looks like, by everyone who reads or sends it.

use std::collections::btree_map::Entry;

use ruststream_core::bindings::Bindings;
use ruststream_runtime::{
    HandlerMetadata, HeaderDiscriminator, IncomingMessageMetadata, OutgoingMessageMetadata,
};
use serde_json::{Map, Value, json};

use super::Draft;
use crate::document::MessageObject;
use crate::names::of_type;

/// The input type of a handler that takes the payload as it is.
const BYTES: &str = "bytes";

/// What a registration says of one message.
pub(super) struct Contribution<'a> {
    pub(super) message_type: &'a str,
    name: Option<&'a str>,
    description: Option<&'a str>,
    /// What the handler does, for a message that is not described itself (API-30).
    handler_description: Option<&'a str>,
    payload: Option<Value>,
    headers: Option<Value>,
    content_type: Option<&'a str>,
    discriminator: Option<HeaderDiscriminator>,
    /// The message is not made for a schema.
    schemaless: bool,
    bindings: &'a Bindings,
}

/// A schema is an object or a boolean; what is neither, or does not parse, is none (API-10).
fn schema(text: Option<&str>) -> Option<Value> {
    let value = serde_json::from_str(text?).ok()?;
    matches!(value, Value::Object(_) | Value::Bool(_)).then_some(value)
}

impl<'a> Contribution<'a> {
    /// The input of a handler of one type.
    pub(super) fn received(handler: &'a HandlerMetadata) -> Self {
        Self {
            message_type: handler.input_type,
            name: handler.message_name.as_deref(),
            description: handler.message_description.as_deref(),
            handler_description: handler.description.as_deref(),
            payload: schema(handler.payload_schema.as_deref()),
            headers: schema(handler.headers_schema.as_deref()),
            content_type: handler.content_type,
            discriminator: None,
            schemaless: handler.deserialized || handler.input_type == BYTES,
            bindings: &handler.bindings.message,
        }
    }

    /// One model of the set that a handler takes.
    pub(super) fn received_model(
        handler: &'a HandlerMetadata,
        model: &'a IncomingMessageMetadata,
    ) -> Self {
        Self {
            message_type: model.message_type,
            name: model.message_name,
            description: model.message_description,
            handler_description: handler.description.as_deref(),
            payload: schema(model.payload_schema.as_deref()),
            headers: schema(model.headers_schema.as_deref()),
            content_type: model.content_type,
            discriminator: model.discriminator,
            schemaless: model.deserialized,
            bindings: &handler.bindings.message,
        }
    }

    pub(super) fn sent(message: &'a OutgoingMessageMetadata) -> Self {
        Self {
            message_type: message.message_type,
            name: message.message_name,
            description: message.message_description,
            handler_description: None,
            payload: schema(message.payload_schema.as_deref()),
            headers: schema(message.headers_schema.as_deref()),
            content_type: message.content_type,
            discriminator: message.discriminator,
            schemaless: message.serialized || message.message_type == BYTES,
            bindings: &message.bindings.message,
        }
    }

    /// Whether a schema is missing that should be there (API-38).
    pub(super) fn is_gap(&self) -> bool {
        self.payload.is_none() && !self.schemaless
    }

    fn into_object(self) -> MessageObject {
        let text_of = |keyword| {
            self.payload
                .as_ref()?
                .get(keyword)?
                .as_str()
                .map(str::to_owned)
        };
        let title: Option<String> = text_of("title");
        let name = match (self.name, &title) {
            (Some(declared), _) => declared.to_owned(),
            (None, Some(title)) => title.clone(),
            (None, None) => of_type(self.message_type),
        };
        let description = match self.description {
            Some(declared) => Some(declared.to_owned()),
            None => text_of("description").or_else(|| self.handler_description.map(str::to_owned)),
        };
        MessageObject {
            title: title.filter(|title| *title != name),
            name,
            description,
            content_type: self.content_type.map(str::to_owned),
            headers: match self.discriminator {
                Some(rule) => Some(discriminated(self.headers, rule)),
                None => self.headers,
            },
            payload: self.payload,
            schemaless: self.schemaless,
            bindings: self.bindings.clone(),
        }
    }
}

/// API-49: the headers contract of a model that is told from others by a header.
fn discriminated(contract: Option<Value>, rule: HeaderDiscriminator) -> Value {
    let mut contract = match contract {
        Some(Value::Object(contract)) => contract,
        _ => Map::from_iter([("type".to_owned(), json!("object"))]),
    };
    let properties = contract.entry("properties").or_insert_with(|| json!({}));
    if !properties.is_object() {
        *properties = json!({});
    }
    properties[rule.header] = json!({ "const": rule.value });
    let required = contract.entry("required").or_insert_with(|| json!([]));
    match required {
        Value::Array(names) if names.iter().any(|name| name == rule.header) => {}
        Value::Array(names) => names.push(rule.header.into()),
        malformed => *malformed = json!([rule.header]),
    }
    Value::Object(contract)
}

impl Draft {
    /// Adds what is said of a message to what is known of it, and returns its name (API-33).
    ///
    /// `context` is the channel on which it is said.
    pub(super) fn add_message(&mut self, said: Contribution<'_>, context: &str) -> String {
        let said = said.into_object();
        let name = said.name.clone();
        match self.0.components.messages.entry(name.clone()) {
            Entry::Vacant(place) => {
                place.insert(said);
            }
            Entry::Occupied(mut known) => fill(known.get_mut(), said, context),
        }
        name
    }
}

/// Fills what is absent; what was said first stands.
fn fill(known: &mut MessageObject, said: MessageObject, context: &str) {
    if differs(known.headers.as_ref(), said.headers.as_ref()) {
        tracing::warn!(
            target: "ruststream::asyncapi",
            message = %known.name, context,
            "two headers schemas of one message: the first is kept"
        );
    }
    if differs(known.payload.as_ref(), said.payload.as_ref()) {
        tracing::warn!(
            target: "ruststream::asyncapi",
            message = %known.name, context,
            "two payload schemas of one message, as of two types with one name: the first is kept"
        );
    }
    let MessageObject {
        title,
        description,
        content_type,
        payload,
        headers,
        schemaless,
        bindings,
        ..
    } = said;
    known.title = known.title.take().or(title);
    known.description = known.description.take().or(description);
    known.content_type = known.content_type.take().or(content_type);
    known.payload = known.payload.take().or(payload);
    known.headers = known.headers.take().or(headers);
    known.schemaless |= schemaless;
    known.bindings.fill_from(&bindings);
}

fn differs(known: Option<&Value>, said: Option<&Value>) -> bool {
    known.zip(said).is_some_and(|(known, said)| known != said)
}
