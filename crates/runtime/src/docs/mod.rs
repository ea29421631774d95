//! What a registration says about itself: the data a generated document and a listing are made of.

#[cfg(feature = "asyncapi")]
mod headers;
mod metadata;
#[cfg(feature = "asyncapi")]
mod schema;

#[cfg(feature = "asyncapi")]
pub use headers::join_headers;
pub use metadata::{
    HandlerMetadata, HeaderDiscriminator, IncomingMessageMetadata, OutgoingKind,
    OutgoingMessageMetadata,
};
#[cfg(feature = "asyncapi")]
pub use schema::schema_json;
