use ruststream_core::ServerSpec;
use ruststream_core::bindings::Bindings;
use serde_json::{Value, json};

use super::Check;

/// A credential that must not appear in anything described.
pub(crate) struct Secret<'a> {
    check: &'a Check,
    secret: &'a str,
}

impl<'a> Secret<'a> {
    /// Fails for an empty secret: it would be found everywhere.
    pub(crate) fn new(check: &'a Check, secret: &'a str) -> Self {
        if secret.is_empty() {
            check
                .step("the secret", "the caller names the credential to look for")
                .fail("it is empty");
        }
        Self { check, secret }
    }

    /// Fails if the secret is anywhere in `tree`, without telling it.
    pub(crate) fn absent(&self, place: &str, tree: &Value) {
        if contains(tree, self.secret) {
            self.check
                .step(place, "nothing described tells a credential")
                .fail("it holds the secret");
        }
    }
}

/// Whether a string or a key of `tree` has `text` in it.
pub(crate) fn contains(tree: &Value, text: &str) -> bool {
    match tree {
        Value::String(string) => string.contains(text),
        Value::Array(values) => values.iter().any(|value| contains(value, text)),
        Value::Object(fields) => fields
            .iter()
            .any(|(key, value)| key.contains(text) || contains(value, text)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// The server object of a document that has this server alone.
pub(crate) fn server_tree(check: &Check, spec: &ServerSpec) -> Value {
    let security: Vec<_> = spec
        .security
        .iter()
        .map(ruststream_core::SecurityScheme::document_object)
        .collect();
    json!({
        "host": spec.host,
        "protocol": spec.protocol,
        "protocolVersion": spec.protocol_version,
        "description": spec.description,
        "security": security,
        "bindings": bindings_tree(check, &spec.bindings),
    })
}

pub(crate) fn bindings_tree(check: &Check, bindings: &Bindings) -> Value {
    serde_json::to_value(bindings).unwrap_or_else(|_| {
        check
            .step("bindings", "bindings are JSON")
            .fail("they do not serialize")
    })
}
