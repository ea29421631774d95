use ruststream_core::{Contact, ExternalDocs, License, Tag};
use serde::Serialize;

/// What the service says about itself.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Info {
    /// The service's name.
    pub title: String,
    /// The service's own version.
    pub version: String,
    /// What the service does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Where the terms of its use are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terms_of_service: Option<String>,
    /// Whom to ask about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact: Option<Contact>,
    /// The licence of its interface.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub license: Option<License>,
    /// Labels to group services by.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<Tag>,
    /// Documentation kept elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_docs: Option<ExternalDocs>,
}
