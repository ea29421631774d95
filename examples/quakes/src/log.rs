//! Where warnings go.

use std::io::{self, IsTerminal as _};

use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

use crate::progress::Progress;

/// Prints warnings, or what `RUST_LOG` asks for, on standard error, one line each, with their span.
pub(crate) fn init(progress: &Progress) {
    let progress = progress.clone();
    tracing_subscriber::fmt()
        .with_env_filter(
            EnvFilter::builder()
                .with_default_directive(LevelFilter::WARN.into())
                .from_env_lossy(),
        )
        .with_ansi(io::stderr().is_terminal())
        .with_writer(move || progress.clone())
        .init();
}
