//! The objects of the document, as plain data.

mod channel;
mod components;
mod info;
mod operation;
mod reference;
mod server;
mod spec;

pub use channel::{Channel, Parameter};
pub use components::{Components, MessageObject};
pub use info::Info;
pub use operation::{Operation, OperationReply, ReplyAddress, RetryExtension};
pub use reference::Reference;
pub use server::Server;
pub use spec::Spec;
