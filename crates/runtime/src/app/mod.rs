//! A service as a whole: how it is put together, how it starts, runs and stops.
//!
//! The builder ([`RustStream`]) keeps the types of layers and state that mounting needs; what it
//! leaves is a [`Plan`](plan::Plan). [`startup`] brings the plan up, in one fixed order, into a
//! [`RunningApp`], and [`shutdown`] takes that down again.

mod broker;
mod builder;
mod drain;
mod error;
mod force;
mod health;
mod hooks;
mod info;
#[cfg(feature = "testing")]
mod launch;
mod plan;
mod registration;
mod run;
mod running;
mod scope;
mod service;
mod shutdown;
mod signals;
mod startup;
mod steps;
#[cfg(test)]
mod testkit;

#[doc(hidden)]
pub use builder::FollowsABroker;
pub use builder::{RustStream, Setup, Wired};
pub use error::RustStreamError;
#[cfg(test)]
pub(crate) use health::HealthBoard;
pub use health::{HealthProbe, HealthState, SubscriptionCount, SubscriptionEnd};
pub use hooks::HookError;
pub use info::AppInfo;
#[cfg(feature = "testing")]
#[doc(hidden)]
pub use launch::{Launch, Launched, StateProducer, TestParts};
pub(crate) use registration::{BoxError, DispatchLoop, Opening, Registration};
pub use run::App;
pub use running::RunningApp;
pub use scope::BrokerScope;
pub(crate) use service::Service;
