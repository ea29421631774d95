//! From a composed service to its document.

mod channels;
mod message;
mod operations;
mod servers;

use std::collections::BTreeMap;

use ruststream_core::ServerSpec;
use ruststream_runtime::{App, AppInfo, HandlerMetadata};

use crate::document::{Components, Info, Operation, Spec};
use crate::names::free_name;

/// The document of a composed service, which is neither started nor changed.
///
/// It describes what is mounted and nothing else. No connection is opened and no async runtime is
/// needed. What the document lacks is logged as a warning under the target `ruststream::asyncapi`:
/// a message without a schema, and two messages of one name that differ.
///
/// ```
/// use ruststream_asyncapi::build_spec;
/// use ruststream_runtime::{AppInfo, RustStream};
///
/// let app = RustStream::new(AppInfo::new("depot", "1.4.0").description("Follows parcels."));
///
/// let spec = build_spec(&app);
///
/// assert_eq!(spec.info.title, "depot");
/// assert!(spec.to_json()?.starts_with("{\n  \"asyncapi\": \"3.1.0\","));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[must_use]
pub fn build_spec<A: App>(app: &A) -> Spec {
    describe(app.info(), app.servers(), app.handlers())
}

fn describe(
    info: &AppInfo,
    servers: &BTreeMap<String, ServerSpec>,
    handlers: &[HandlerMetadata],
) -> Spec {
    let mut draft = Draft(Spec {
        asyncapi: "3.1.0".to_owned(),
        id: info.id.clone(),
        info: head(info),
        servers: BTreeMap::new(),
        default_content_type: None,
        channels: BTreeMap::new(),
        operations: BTreeMap::new(),
        components: Components {
            messages: BTreeMap::new(),
            security_schemes: BTreeMap::new(),
        },
    });
    draft.add_servers(servers);
    for handler in handlers {
        draft.add_handler(handler);
    }
    draft.complete_parameters();
    draft.drop_needless_reply_addresses();
    draft.0.default_content_type = draft.common_content_type();
    draft.0
}

fn head(info: &AppInfo) -> Info {
    Info {
        title: info.title.clone(),
        version: info.version.clone(),
        description: info.description.clone(),
        terms_of_service: info.terms_of_service.clone(),
        contact: (!info.contact.is_empty()).then(|| info.contact.clone()),
        license: info.license.clone(),
        tags: info.tags.clone(),
        external_docs: info.external_docs.clone(),
    }
}

/// A document that grows registration by registration.
struct Draft(Spec);

impl Draft {
    fn add_operation(&mut self, stem: String, operation: Operation) {
        let operations = &mut self.0.operations;
        let id = free_name(stem, |id| operations.contains_key(id));
        operations.insert(id, operation);
    }

    /// API-52: the standard applies a default to every message that says nothing itself.
    fn common_content_type(&self) -> Option<String> {
        let mut types = self
            .0
            .components
            .messages
            .values()
            .map(|message| &message.content_type);
        let first = types.next()?.clone()?;
        types
            .all(|other| other.as_ref() == Some(&first))
            .then_some(first)
    }
}
