//! What a body reads of its delivery besides the message: the context, and values made from it.

mod after;
mod batch_size;
mod context;
mod ctx;
mod from_context;
mod from_ref;
mod headers;
mod main_runtime;
pub(crate) mod site;
mod state;

pub use self::after::After;
pub(crate) use self::context::Aside;
pub use self::context::Context;
pub use self::ctx::{Ctx, CtxKey};
pub use self::from_context::FromContext;
pub use self::from_ref::FromRef;
pub use self::headers::Headers;
pub use self::main_runtime::MainRuntime;
pub(crate) use self::site::{About, Site};
pub use self::state::State;
