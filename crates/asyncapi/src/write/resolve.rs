//! The document as it is written: legal keys, and references that resolve from its root.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value};

use super::Pointer;
use super::keys::LegalKeys;
use super::pointer::{escape, resolve};
use crate::document::{Channel, Components, MessageObject, Operation, Reference, Server, Spec};

/// The parts of a document that are not written as they are held.
pub(crate) struct Resolved {
    pub(crate) servers: BTreeMap<String, Server>,
    pub(crate) channels: BTreeMap<String, Channel>,
    pub(crate) operations: BTreeMap<String, Operation>,
    pub(crate) components: Components,
}

impl Resolved {
    pub(crate) fn of(spec: &Spec) -> Self {
        let servers = LegalKeys::of_servers(&spec.servers);
        let messages = LegalKeys::of_components(&spec.components.messages);
        let schemes = LegalKeys::of_components(&spec.components.security_schemes);
        let moved = Moved::new([
            (Pointer::root().at("servers"), &servers),
            (Pointer::root().at("components").at("messages"), &messages),
            (
                Pointer::root().at("components").at("securitySchemes"),
                &schemes,
            ),
        ]);
        let message = |(name, message): (&String, &MessageObject)| {
            let place = Pointer::message(messages.written(name));
            (name.clone(), moved.message(message.clone(), &place))
        };
        Self {
            servers: servers.apply(spec.servers.clone().into_iter().map(|(name, mut server)| {
                moved.references(&mut server.security);
                (name, server)
            })),
            channels: spec
                .channels
                .iter()
                .map(|(id, channel)| (id.clone(), moved.channel(channel.clone())))
                .collect(),
            operations: spec
                .operations
                .iter()
                .map(|(id, operation)| (id.clone(), moved.operation(operation.clone())))
                .collect(),
            components: Components {
                messages: messages.apply(spec.components.messages.iter().map(message)),
                security_schemes: schemes.apply(spec.components.security_schemes.clone()),
            },
        }
    }
}

/// What references have to follow: places of the document that are written under another key.
struct Moved(Vec<(String, HashMap<String, String>)>);

impl Moved {
    fn new<'k>(maps: impl IntoIterator<Item = (Pointer, &'k LegalKeys)>) -> Self {
        let moved = maps.into_iter().map(|(place, keys)| {
            let keys: HashMap<_, _> = keys
                .replaced()
                .map(|(name, written)| (escape(name), written.to_owned()))
                .collect();
            (format!("{}/", place.as_str()), keys)
        });
        Self(moved.filter(|(_, keys)| !keys.is_empty()).collect())
    }

    /// Where `reference` points now, if that is elsewhere.
    fn follow(&self, reference: &str) -> Option<String> {
        self.0.iter().find_map(|(place, keys)| {
            let rest = reference.strip_prefix(place.as_str())?;
            let (segment, deeper) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            Some(format!("{place}{}{deeper}", keys.get(segment)?))
        })
    }

    fn reference(&self, reference: &mut Reference) {
        if let Some(followed) = self.follow(&reference.reference) {
            reference.reference = followed;
        }
    }

    fn references<'r>(&self, references: impl IntoIterator<Item = &'r mut Reference>) {
        references
            .into_iter()
            .for_each(|reference| self.reference(reference));
    }

    fn channel(&self, mut channel: Channel) -> Channel {
        self.references(channel.messages.values_mut());
        self.references(&mut channel.servers);
        channel
    }

    fn operation(&self, mut operation: Operation) -> Operation {
        self.reference(&mut operation.channel);
        self.references(&mut operation.messages);
        if let Some(reply) = &mut operation.reply {
            self.reference(&mut reply.channel);
            self.references(&mut reply.messages);
        }
        operation
    }

    fn message(&self, mut message: MessageObject, place: &Pointer) -> MessageObject {
        for (schema, member) in [
            (&mut message.payload, "payload"),
            (&mut message.headers, "headers"),
        ] {
            if let Some(schema) = schema {
                let local = Local {
                    moved: self,
                    place: place.clone().at(member),
                    schema: schema.clone(),
                };
                local.rebase(schema);
            }
        }
        message
    }
}

/// A schema that refers to parts of itself, and its place in the document.
struct Local<'m> {
    moved: &'m Moved,
    place: Pointer,
    schema: Value,
}

impl Local<'_> {
    /// Turns each reference of `schema`, a part of the whole one, into one from the document's
    /// root (API-40).
    fn rebase(&self, schema: &mut Value) {
        match schema {
            Value::Object(keywords) => self.rebase_keywords(keywords),
            Value::Array(schemas) => schemas.iter_mut().for_each(|schema| self.rebase(schema)),
            _ => {}
        }
    }

    fn rebase_keywords(&self, keywords: &mut Map<String, Value>) {
        for (keyword, value) in keywords {
            match (keyword.as_str(), value) {
                ("$ref", Value::String(reference)) => {
                    if let Some(rebased) = self.rebased(reference) {
                        *reference = rebased;
                    }
                }
                // Data, in which a `$ref` is a field like any other.
                ("const" | "default" | "enum" | "examples", _) => {}
                // Names of the author's choosing, so the keywords begin one level further down.
                (
                    "properties" | "patternProperties" | "definitions" | "$defs" | "dependencies"
                    | "dependentSchemas",
                    Value::Object(named),
                ) => named.values_mut().for_each(|schema| self.rebase(schema)),
                (_, value) => self.rebase(value),
            }
        }
    }

    fn rebased(&self, reference: &str) -> Option<String> {
        let pointer = reference.strip_prefix('#')?;
        match resolve(&self.schema, pointer) {
            Some(_) => Some(format!("{}{pointer}", self.place.as_str())),
            None => self.moved.follow(reference),
        }
    }
}
