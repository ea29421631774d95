//! What the tests share: messages whose handlers do as they are told, publish layers that get in
//! the way, and a reader of exported metrics.

mod messages;
mod meters;
mod publish;

pub use messages::{Audit, Audits, Routed, Say, Scan, assert_sent};
pub use meters::{Meters, Point, Value};
pub use publish::{Refuse, Rename};
