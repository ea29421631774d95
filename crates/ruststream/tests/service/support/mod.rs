//! A toy broker whose every habit a test can choose, and what is needed to look at a service.

// The process tests share this module and use less of it.
#![allow(dead_code, unused_imports)]

mod body;
mod codec;
mod delivery;
mod depot;
mod journal;
mod logs;
mod policy;
mod queue;
mod serve;
mod source;
mod subscription;
mod yard;

use std::convert::Infallible;

use ruststream::prelude::*;
use ruststream::runtime::{Identity, PublishIdentity, Setup};

pub(crate) use body::{answers, answers_each, copies};
pub(crate) use codec::Backwards;
pub(crate) use delivery::{Count, Delivery, Note, Rack, Stamp, Weight};
pub(crate) use depot::{City, Depot, run_depot};
pub(crate) use journal::{Journal, lines};
pub(crate) use logs::{Logs, tell_logs};
pub(crate) use policy::{Clerk, Publish};
pub(crate) use queue::{Letter, Transport};
pub(crate) use serve::{Served, dealings, serve};
pub(crate) use source::{Berth, Filter, Lane};
pub(crate) use yard::{ConnectedYard, Refused, Yard};

/// A service that has nothing yet.
pub(crate) fn service() -> RustStream<Identity, (), PublishIdentity, Setup> {
    RustStream::new(AppInfo::new("depot", "1.0.0"))
}

/// A service over `state`.
pub(crate) fn service_with<S: Send + Sync + 'static>(
    state: S,
) -> RustStream<Identity, S, PublishIdentity, Setup> {
    service().on_startup(async move |()| Ok::<_, Infallible>(state))
}
