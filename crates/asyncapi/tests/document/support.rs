//! What the tests share: reading a document.

use ruststream::asyncapi::build_spec;
use ruststream::runtime::App;
use serde_json::Value;

/// The document of `app` as it is written.
pub(crate) fn written(app: &impl App) -> Value {
    let text = build_spec(app).to_json().expect("serializes");
    serde_json::from_str(&text).expect("is JSON")
}
