//! JSON Schemas of message types, as text.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;

/// The schema of `T` in the dialect that `AsyncAPI` reads, draft 07 (API-35).
#[doc(hidden)]
#[must_use]
pub fn schema_json<T: JsonSchema + ?Sized>() -> Option<String> {
    let schema = SchemaSettings::draft07()
        .into_generator()
        .into_root_schema_for::<T>();
    serde_json::to_string(&schema).ok()
}
