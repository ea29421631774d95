//! Why a command of the tool failed.

use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;

/// Why a command of the tool failed; it's printed in one line.
#[derive(Debug, thiserror::Error)]
pub(super) enum ToolError {
    /// Cargo could not be started.
    #[error("cargo could not be started: {0}; is cargo on PATH?")]
    Spawn(#[source] io::Error),
    /// Cargo, or the service that it ran, failed.
    #[error("cargo failed: {0}")]
    Cargo(ExitStatus),
    /// A package cannot be called that.
    #[error("`{name}` cannot be the name of a package: {why}")]
    Name {
        /// The name.
        name: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The directory of a new service has something in it.
    #[error(
        "`{}` is not empty: name a directory that does not exist yet, or an empty one",
        .0.display()
    )]
    NotEmpty(PathBuf),
    /// The checkout lacks a crate that the new service needs.
    #[error("`{}` is no checkout of RustStream: it has no `{missing}`", checkout.display())]
    NoCheckout {
        /// The directory, as it was given.
        checkout: PathBuf,
        /// The directory in it that is missing.
        missing: &'static str,
    },
    /// A file or directory of a new service could not be made.
    #[error("writing `{}` failed: {source}", path.display())]
    Write {
        /// The file or directory.
        path: PathBuf,
        /// What the file system answered.
        source: io::Error,
    },
}
