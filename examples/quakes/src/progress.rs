//! What a person sees while the service runs, on standard error.

use std::fmt;
use std::io::{self, IsTerminal as _, Write as _};

use indicatif::{ProgressBar, ProgressStyle};

/// Without a terminal, one line for this many lines of the feed.
const EVERY: u64 = 250;

/// A bar on a terminal, plain lines elsewhere. Clones show the same.
#[derive(Clone)]
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
}

impl Progress {
    /// Begins to show the progress over `bytes`, which a stream doesn't know.
    pub(crate) fn begin(bytes: Option<u64>) -> Self {
        let bar = io::stderr().is_terminal().then(|| match bytes {
            Some(bytes) => ProgressBar::new(bytes).with_style(
                ProgressStyle::with_template("{bar:40} {percent:>3}%  {msg}  {elapsed}")
                    .expect("a constant template"),
            ),
            None => ProgressBar::new_spinner(),
        });
        Self { bar }
    }

    /// So many lines are through.
    pub(crate) fn received(&self, lines: u64) {
        match &self.bar {
            Some(bar) => bar.set_message(format!("{lines} received")),
            None if lines.is_multiple_of(EVERY) => self.line(&format!("{lines} received")),
            None => {}
        }
    }

    /// So many bytes of the feed are read.
    pub(crate) fn read(&self, bytes: u64) {
        if let Some(bar) = &self.bar {
            bar.set_position(bytes);
        }
    }

    /// Prints a line of its own.
    pub(crate) fn line(&self, text: &str) {
        self.above(|| {
            // Without standard error there is nobody to tell.
            let _ = writeln!(io::stderr(), "{text}");
        });
    }

    /// Takes the bar away.
    pub(crate) fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn above<Printed>(&self, print: impl FnOnce() -> Printed) -> Printed {
        match &self.bar {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }
}

/// Standard error, above the bar.
impl io::Write for Progress {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.above(|| io::stderr().write(text))
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Progress").finish_non_exhaustive()
    }
}
