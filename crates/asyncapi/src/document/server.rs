use ruststream_core::bindings::Bindings;
use serde::Serialize;

use super::Reference;
use crate::write::sorted;

/// A server that the service connects to.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Server {
    /// Host and port; `None` for a broker that runs in the process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The protocol, such as `nats`.
    pub protocol: String,
    /// The version of the protocol.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol_version: Option<String>,
    /// What the server is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// How clients authenticate: references into
    /// [`Components::security_schemes`](super::Components::security_schemes).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub security: Vec<Reference>,
    /// What the protocol says about the server.
    #[serde(
        skip_serializing_if = "Bindings::is_empty",
        serialize_with = "sorted::bindings"
    )]
    pub bindings: Bindings,
}
