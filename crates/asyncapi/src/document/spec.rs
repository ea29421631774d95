use std::collections::BTreeMap;

use ruststream_core::AppId;
use serde::{Serialize, Serializer};

use super::{Channel, Components, Info, Operation, Server};
use crate::write::{Resolved, yaml};

/// An `AsyncAPI` 3.1 document.
///
/// [`build_spec`](crate::build_spec) makes one of a service. It is plain data: a test can read it,
/// a tool can complete it before it is written.
///
/// The maps hold the names that authors gave. Where the standard allows fewer characters in a key,
/// the written document has another key and references that follow it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Spec {
    /// The version of the standard.
    pub asyncapi: String,
    /// The identifier of the service.
    pub id: Option<AppId>,
    /// What the service says about itself.
    pub info: Info,
    /// The servers it connects to, by name.
    pub servers: BTreeMap<String, Server>,
    /// The content type of every message, where they all have the same.
    pub default_content_type: Option<String>,
    /// The channels, by name.
    pub channels: BTreeMap<String, Channel>,
    /// What the service does on them.
    pub operations: BTreeMap<String, Operation>,
    /// The messages and security schemes.
    pub components: Components,
}

impl Spec {
    /// The document as JSON, indented by two spaces, without a newline at the end.
    ///
    /// # Errors
    ///
    /// None for a document as it was built; what was put into it since must be JSON.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self)
    }

    /// The document as YAML, which readers of YAML 1.1 and 1.2 understand alike.
    ///
    /// # Errors
    ///
    /// As [`to_json`](Self::to_json).
    pub fn to_yaml(&self) -> Result<String, serde_norway::Error> {
        serde_norway::to_value(self).map(|tree| yaml::write(&tree))
    }

    /// The messages whose payload nothing describes, in the order of their names.
    ///
    /// Messages that are bytes by design are not among them.
    #[must_use]
    pub fn messages_without_schema(&self) -> Vec<&str> {
        let gap = |(name, message): (_, &super::MessageObject)| {
            let described = message.payload.is_some() || message.schemaless;
            (!described && name != "bytes").then_some(name)
        };
        let messages = self.components.messages.iter();
        messages
            .map(|(name, message)| (name.as_str(), message))
            .filter_map(gap)
            .collect()
    }
}

/// Writes the document with keys that the standard allows and references that resolve from its
/// root.
impl Serialize for Spec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Document<'a> {
            asyncapi: &'a str,
            #[serde(skip_serializing_if = "Option::is_none")]
            id: Option<&'a AppId>,
            info: &'a Info,
            #[serde(skip_serializing_if = "BTreeMap::is_empty")]
            servers: BTreeMap<String, Server>,
            #[serde(skip_serializing_if = "Option::is_none")]
            default_content_type: Option<&'a str>,
            #[serde(skip_serializing_if = "BTreeMap::is_empty")]
            channels: BTreeMap<String, Channel>,
            #[serde(skip_serializing_if = "BTreeMap::is_empty")]
            operations: BTreeMap<String, Operation>,
            components: Components,
        }

        let Resolved {
            servers,
            channels,
            operations,
            components,
        } = Resolved::of(self);
        Document {
            asyncapi: &self.asyncapi,
            id: self.id.as_ref(),
            info: &self.info,
            servers,
            default_content_type: self.default_content_type.as_deref(),
            channels,
            operations,
            components,
        }
        .serialize(serializer)
    }
}
