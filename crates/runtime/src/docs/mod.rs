//! What a registration says about itself: the data a generated document and a listing are made of.

mod metadata;

pub use metadata::{
    HandlerMetadata, HeaderDiscriminator, IncomingMessageMetadata, OutgoingKind,
    OutgoingMessageMetadata,
};
