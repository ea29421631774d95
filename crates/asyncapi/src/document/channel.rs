use std::collections::BTreeMap;

use ruststream_core::bindings::Bindings;
use serde::Serialize;

use super::Reference;
use crate::write::sorted;

/// A place that messages are read from or written to.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Channel {
    /// The channel's name on the broker; `None`, written as `null`, where each delivery names it.
    pub address: Option<String>,
    /// The messages that travel here, by name.
    pub messages: BTreeMap<String, Reference>,
    /// The placeholders of the address.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, Parameter>,
    /// The servers it is on; none means all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub servers: Vec<Reference>,
    /// What the protocol says about the channel.
    #[serde(
        skip_serializing_if = "Bindings::is_empty",
        serialize_with = "sorted::bindings"
    )]
    pub bindings: Bindings,
}

/// A placeholder of a channel's address.
#[derive(Debug, Clone, Default, Serialize)]
#[non_exhaustive]
pub struct Parameter {
    /// What stands there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}
