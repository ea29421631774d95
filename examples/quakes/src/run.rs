//! One run: from the options to the summary.

use std::io::{self, Write as _};

use ruststream::prelude::*;
use ruststream::runtime::RustStreamError;
use tokio::runtime::Runtime;

use crate::app::app;
use crate::feed::{Feed, FeedError, Source};
use crate::options::Options;
use crate::progress::Progress;
use crate::state::Observatory;
use crate::summary::Summary;
use crate::tally::Tally;
use crate::{log, signals};

/// Why a run failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RunError {
    #[error("cannot start: {0}")]
    Start(#[source] io::Error),
    #[error(transparent)]
    Feed(#[from] FeedError),
    #[error(transparent)]
    Service(#[from] RustStreamError),
    #[error("cannot print the summary: {0}")]
    Print(#[source] io::Error),
}

/// Runs the service until its feed is through or a signal stops it, and prints the summary.
pub(crate) fn run(options: Options) -> Result<(), RunError> {
    let runtime = Runtime::new().map_err(RunError::Start)?;
    let ended = runtime.block_on(serve(options));
    // A read of standard input can't be called off; it must not hold up the end.
    runtime.shutdown_background();
    ended
}

async fn serve(options: Options) -> Result<(), RunError> {
    let stopped = signals::listen().map_err(RunError::Start)?;
    let source = Source::open(options.file).await?;
    let (tally, progress) = (Tally::default(), Progress::begin(source.bytes));
    log::init(&progress);

    let observatory = Observatory {
        tally: tally.clone(),
        progress: progress.clone(),
    };
    let feed = Feed::new(source, options.rate, tally.clone(), progress.clone());
    let (app, through) = app(options.transport, observatory, feed);

    let mut feed_ended = Ok(());
    let ended = app
        .run_until(async {
            tokio::select! {
                end = through => feed_ended = end.unwrap_or(Err(FeedError::Panicked)),
                () = stopped => progress.line("stopped by a signal"),
            }
        })
        .await;

    progress.end();
    // In one write, for a reader that leaves after the first line.
    let summary = format!("{}\n", Summary(&tally.counts()));
    io::stdout()
        .write_all(summary.as_bytes())
        .map_err(RunError::Print)?;
    ended?;
    Ok(feed_ended?)
}
