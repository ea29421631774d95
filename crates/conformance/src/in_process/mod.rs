//! In-process answers that are the server's.
//!
//! A service's tests run in process. Where that differs from the server, a test passes that
//! production would fail, or the reverse; these checks ask both and compare.
//!
//! | Check | Compares |
//! |---|---|
//! | [`backlog_matches_server`] | what a new subscription gets of the past |
//! | [`refuses_like_the_server`] | what is refused: payloads, names, sources, a second reader |

mod backlog;
mod refusal;
mod refusals;
mod side;

pub use backlog::backlog_matches_server;
pub use refusal::Refusal;
pub use refusals::refuses_like_the_server;
