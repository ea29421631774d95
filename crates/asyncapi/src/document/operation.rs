use ruststream_core::Tag;
use ruststream_core::bindings::Bindings;
use serde::Serialize;

use super::Reference;
use crate::write::sorted;

/// What the service does on a channel.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Operation {
    /// `receive` or `send`.
    pub action: String,
    /// The channel.
    pub channel: Reference,
    /// The messages of that channel that the operation is about.
    pub messages: Vec<Reference>,
    /// What the handler does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What answers each message received.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply: Option<OperationReply>,
    /// The protocol of the server it takes place on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<Tag>,
    /// What the handler declared about retries.
    #[serde(rename = "x-ruststream-retry", skip_serializing_if = "Option::is_none")]
    pub retry: Option<RetryExtension>,
    /// What the protocol says about the operation.
    #[serde(
        skip_serializing_if = "Bindings::is_empty",
        serialize_with = "sorted::bindings"
    )]
    pub bindings: Bindings,
}

/// The reply of a `receive` operation.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct OperationReply {
    /// Where a request says where its reply goes, beside a channel without an address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<ReplyAddress>,
    /// The channel of the replies.
    pub channel: Reference,
    /// The messages of that channel that are replies.
    pub messages: Vec<Reference>,
}

/// Where the address of a reply is found.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct ReplyAddress {
    /// A runtime expression such as `$message.header#/reply-to`.
    pub location: String,
}

impl ReplyAddress {
    /// The address that the runtime expression `location` yields.
    #[must_use]
    pub fn new(location: impl Into<String>) -> Self {
        Self {
            location: location.into(),
        }
    }
}

/// What a registration declared about retries, under `x-ruststream-retry`.
///
/// An extension, because `AsyncAPI` itself has no word for a cap on attempts.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct RetryExtension {
    /// How often a message is delivered at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_attempts: Option<u32>,
    /// Where a message goes that used up its attempts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dead_letter: Option<String>,
    /// Where the copies go that bring a message back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_destination: Option<String>,
}
