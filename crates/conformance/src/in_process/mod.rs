//! In-process answers that are the server's.
//!
//! A service's tests run in process. Where that differs from the server, a test passes that
//! production would fail, or the reverse; these checks ask both and compare.
//!
//! | Check | Compares |
//! |---|---|
//! | [`backlog_matches_server`] | what a new subscription gets of the past |
//! | [`refuses_like_the_server`] | what is refused: payloads, names, sources, a second reader |
//!
//! The others hold what every test relies on, beyond [`run_suite`](crate::harness::run_suite):
//!
//! | Check | Holds |
//! |---|---|
//! | [`registered`] | the harness finds the broker |
//! | [`publish_log`] | the log of a name has its messages, whole and in order |
//! | [`one_coordinator`] | one coordinator counts, for every subscription |
//! | [`routes`] | the question where a publish goes changes nothing |
//! | [`dropped_subscription`] | a subscription that is gone leaves nothing to wait for |

mod backlog;
mod dropped_subscription;
mod one_coordinator;
mod publish_log;
mod refusal;
mod refusals;
mod registered;
mod routes;
mod side;

pub use backlog::backlog_matches_server;
pub use dropped_subscription::dropped_subscription;
pub use one_coordinator::one_coordinator;
pub use publish_log::publish_log;
pub use refusal::Refusal;
pub use refusals::refuses_like_the_server;
pub use registered::registered;
pub use routes::routes;
