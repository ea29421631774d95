use std::collections::BTreeMap;

use ruststream_core::bindings::Bindings;
use serde::Serialize;
use serde_json::Value;

use crate::write::sorted;

/// The parts of the document that others refer to.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Components {
    /// Every message, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub messages: BTreeMap<String, MessageObject>,
    /// How clients authenticate with the servers.
    #[serde(
        skip_serializing_if = "BTreeMap::is_empty",
        serialize_with = "sorted::values"
    )]
    pub security_schemes: BTreeMap<String, Value>,
}

/// A message: what it is called and what it looks like.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct MessageObject {
    /// The message's name.
    pub name: String,
    /// The schema's title, where it is another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What the message is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What the payload is encoded as.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// The schema of the payload; references inside are relative to it.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "sorted::option"
    )]
    pub payload: Option<Value>,
    /// The schema of the headers; references inside are relative to it.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "sorted::option"
    )]
    pub headers: Option<Value>,
    /// The message is not made for a schema: it reads or writes its own bytes. Never written.
    #[serde(skip)]
    pub schemaless: bool,
    /// What the protocol says about the message.
    #[serde(
        skip_serializing_if = "Bindings::is_empty",
        serialize_with = "sorted::bindings"
    )]
    pub bindings: Bindings,
}
