//! The command line of a service: what `fn main` of a service calls.
//!
//! `#[ruststream::app]` writes that `main`; a service with a `main` of its own calls [`run_main`]
//! or [`run_main_on`]. Services reach these items as `ruststream::runtime::cli`.
//!
//! | Argument | What happens |
//! |---|---|
//! | none, or `run` | the service runs until SIGINT or SIGTERM, then stops in order |
//! | `asyncapi gen` | prints the service's document; needs the feature `asyncapi` |
//! | `--help` | prints these commands and their options |
//!
//! With the feature `logging`, `run` installs the logger before it builds the service. What follows
//! `run` is left to the service. The process ends with 0, or with 1 after one line
//! `ruststream: <what happened>` on standard error.

#![forbid(unsafe_code)]

mod app_runtime;
mod command;
#[cfg(feature = "asyncapi")]
mod document;
mod entry;
mod error;
mod help;
mod line;
#[cfg(feature = "tool")]
#[doc(hidden)]
pub mod tool;

pub use app_runtime::AppRuntime;
pub use entry::{run_main, run_main_on};
pub use error::CliError;
