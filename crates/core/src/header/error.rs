use std::fmt;

/// Why a header contract could not be read from a delivery's headers.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeserializeHeadersError {
    /// A field that is text has a value that is not UTF-8.
    #[error("the header `{header}` is not UTF-8 text")]
    NotUtf8 {
        /// The header.
        header: String,
    },

    /// The text of a header is not of the field's type.
    ///
    /// The message leaves out the value, which may be nothing to log.
    #[error("the header `{header}` is not a valid `{expected}`")]
    Parse {
        /// The header.
        header: String,
        /// The field's type.
        expected: &'static str,
        /// The text, with what is not UTF-8 replaced.
        value: String,
    },

    /// A field has a type that one header cannot hold.
    #[error("the header `{header}` cannot be read as {kind}: one header holds one value")]
    UnsupportedShape {
        /// The header.
        header: String,
        /// What the field asked for.
        kind: &'static str,
    },

    /// The contract as a whole is not a flat struct or map.
    #[error("headers cannot be read as {kind}: a header contract is a flat struct or a map")]
    TopLevel {
        /// What the contract asked for.
        kind: &'static str,
    },

    /// A missing field, an unknown variant, or what the contract's own `Deserialize` says.
    #[error("{0}")]
    Message(String),
}

impl serde::de::Error for DeserializeHeadersError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::Message(message.to_string())
    }
}

/// Why a header contract could not be written as headers.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SerializeHeadersError {
    /// A field has a value that one header cannot hold.
    #[error("the field `{field}` is {kind}, which does not fit into one header")]
    UnsupportedValue {
        /// The field.
        field: String,
        /// What its value is.
        kind: &'static str,
    },

    /// The contract as a whole is not a flat struct or map.
    #[error("{kind} cannot be written as headers: a header contract is a flat struct or a map")]
    TopLevel {
        /// What it is.
        kind: &'static str,
    },

    /// A header name that is not a string, or what the contract's own `Serialize` says.
    #[error("{0}")]
    Message(String),
}

impl serde::ser::Error for SerializeHeadersError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::Message(message.to_string())
    }
}
