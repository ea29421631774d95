//! Log lines on standard error.
//!
//! The entry point that `#[ruststream::app]` writes calls [`init`] before it builds the service, on
//! `run` alone. A service with a `main` of its own calls it there, or sets things up with
//! [`Logging`].
//!
//! ```text
//! 2026-03-02T08:15:30.041275Z  INFO ruststream::lifecycle service running subscribers=3
//! 2026-03-02T08:15:31.530412Z  WARN depot::scans parcel overweight parcel=41 lane="north"
//! ```

mod filter;
mod line;
mod text;

use std::env;
use std::error::Error;
use std::io::{self, IsTerminal};

use tracing::Subscriber;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::ParseError;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::fmt::format::debug_fn;

use line::Line;

const FILTER_VARIABLE: &str = "RUST_LOG";

/// Writes the events of the process to standard error from now on.
///
/// It's [`Logging::new`] with [`try_init`](Logging::try_init).
///
/// # Errors
///
/// The process has a subscriber already; it stays.
pub fn init() -> Result<(), LoggingInitError> {
    Logging::new().try_init()
}

/// How the events of the process are written to standard error.
///
/// What is written is chosen by the environment variable `RUST_LOG`, in the usual directives such
/// as `warn,ruststream::dispatch=debug`. A directive that can't be read is skipped; where none can,
/// or the variable is unset, the default filter applies.
///
/// ```no_run
/// use ruststream_telemetry::logging::Logging;
///
/// Logging::new()
///     .with_default_filter("warn,depot=debug")
///     .with_target(false)
///     .try_init()?;
/// # Ok::<(), ruststream_telemetry::logging::LoggingInitError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Logging {
    default_filter: String,
    /// `None` asks the terminal.
    ansi: Option<bool>,
    target: bool,
}

impl Logging {
    /// Filters by `info`, colours on a terminal, writes targets.
    #[must_use]
    pub fn new() -> Self {
        Self {
            default_filter: "info".to_owned(),
            ansi: None,
            target: true,
        }
    }

    /// The filter where `RUST_LOG` says nothing: directives, separated by commas.
    #[must_use]
    pub fn with_default_filter(mut self, filter: impl Into<String>) -> Self {
        self.default_filter = filter.into();
        self
    }

    /// Whether lines are coloured.
    ///
    /// Without this step they are where standard error is a terminal and the environment variable
    /// `NO_COLOR` is unset or empty.
    #[must_use]
    pub const fn with_ansi(mut self, ansi: bool) -> Self {
        self.ansi = Some(ansi);
        self
    }

    /// Whether lines carry the target of their event.
    #[must_use]
    pub const fn with_target(mut self, target: bool) -> Self {
        self.target = target;
        self
    }

    /// Installs the process's `tracing` subscriber.
    ///
    /// # Errors
    ///
    /// The default filter can't be read, also where `RUST_LOG` overrides it; or the process has a
    /// subscriber already, which stays.
    pub fn try_init(self) -> Result<(), LoggingInitError> {
        let variable = env::var(FILTER_VARIABLE).unwrap_or_default();
        let filter = filter::choose(&variable, &self.default_filter)?;
        let ansi = self.ansi.unwrap_or_else(|| {
            colours(
                io::stderr().is_terminal(),
                env::var_os("NO_COLOR").as_deref(),
            )
        });
        let subscriber = self.subscriber(filter, ansi, io::stderr);
        tracing::subscriber::set_global_default(subscriber)
            .map_err(|taken| LoggingInitError::AlreadyInitialized(Box::new(taken)))
    }

    fn subscriber<W>(&self, filter: EnvFilter, ansi: bool, writer: W) -> impl Subscriber + use<W>
    where
        W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
    {
        tracing_subscriber::fmt()
            .with_env_filter(filter)
            .with_writer(writer)
            .with_ansi(ansi)
            // A line that can't be written is lost; telling so on standard error would panic in
            // whoever logged, if that is what can't be written to.
            .log_internal_errors(false)
            // Spans are not printed, so their fields aren't formatted either.
            .fmt_fields(debug_fn(|_, _, _| Ok(())))
            .event_format(Line::new(self.target))
            .finish()
    }
}

impl Default for Logging {
    fn default() -> Self {
        Self::new()
    }
}

fn colours(terminal: bool, no_color: Option<&std::ffi::OsStr>) -> bool {
    terminal && no_color.is_none_or(std::ffi::OsStr::is_empty)
}

/// Why logging could not be installed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoggingInitError {
    /// A directive of the default filter can't be read.
    #[error(
        "the default log filter cannot be read: {0}; write directives such as `warn,ruststream=debug`"
    )]
    Filter(#[from] ParseError),
    /// The process has a `tracing` subscriber already.
    #[error(
        "logging cannot be installed: this process has a tracing subscriber already, which stays ({0})"
    )]
    AlreadyInitialized(#[source] Box<dyn Error + Send + Sync>),
}

#[cfg(test)]
mod tests;
