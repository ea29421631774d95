//! A service over a week of earthquakes: counts them, raises alerts, stops by itself.

mod app;
mod document;
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

use options::Asked;

fn main() -> ExitCode {
    let options = match options::parse() {
        Asked::Run(options) => options,
        Asked::Document => return document::print(),
    };
    let Err(error) = run::run(options) else {
        return ExitCode::SUCCESS;
    };
    let _ = writeln!(io::stderr(), "quakes: {error}");
    ExitCode::FAILURE
}
