//! A service over a week of earthquakes: counts them, raises alerts, stops by itself.

mod app;
mod feed;
mod handlers;
mod line_codec;
mod line_span;
mod lines;
mod log;
mod messages;
mod options;
mod progress;
mod run;
mod settled;
mod signals;
mod state;
mod summary;
mod tally;

use std::io::{self, Write as _};
use std::process::ExitCode;

fn main() -> ExitCode {
    let Err(error) = run::run(options::parse()) else {
        return ExitCode::SUCCESS;
    };
    let _ = writeln!(io::stderr(), "quakes: {error}");
    ExitCode::FAILURE
}
