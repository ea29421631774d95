//! Who an application is, for its document. Present without `asyncapi` too, so that a service can
//! state it unconditionally.

mod app_id;
mod contact;
mod external_docs;
mod license;
mod tag;

pub use app_id::{AppId, AppIdError};
pub use contact::Contact;
pub use external_docs::ExternalDocs;
pub use license::License;
pub use tag::Tag;
