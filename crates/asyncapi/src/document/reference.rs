use serde::Serialize;

/// A reference to another part of the document.
#[derive(Debug, Clone, Serialize)]
pub struct Reference {
    /// The target as a JSON pointer behind `#`, its segments escaped.
    #[serde(rename = "$ref")]
    pub reference: String,
}
