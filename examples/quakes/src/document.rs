//! The service's document.

use std::process::ExitCode;

use ruststream::runtime::cli::run_main;

use crate::app::app;
use crate::feed::{Feed, Source};
use crate::options::Transport;
use crate::progress::Progress;
use crate::state::Observatory;
use crate::tally::Tally;

/// Does what every service does for `asyncapi gen`. The service is composed, not started.
pub(crate) fn print() -> ExitCode {
    run_main(|| {
        let (tally, progress) = (Tally::default(), Progress::begin(None));
        let feed = Feed::new(Source::bundled(), None, tally.clone(), progress.clone());
        let (app, _through) = app(Transport::Memory, Observatory { tally, progress }, feed);
        app
    })
}
