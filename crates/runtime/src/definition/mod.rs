//! Definitions: a body with its input lane, its reply, its slots and its documentation.

mod docs;
mod slots;
mod source;
mod value;

pub use docs::{
    AxisDocs, DocState, Docs, Documentable, Documented, IsDocumented, Probed, ProbedDocs,
    Undocumented,
};
pub use source::subscriber;
pub use value::{
    DeclaresReply, Definition, HandleValue, Parts, ProbedDeclaredReplyDef, ProbedReplyDef,
    ReplyValue, Sealed, UnbuiltDefinition, probed_declared_reply_def, probed_def, probed_reply_def,
};
