//! The feed: reads lines and publishes each as a message.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ruststream::prelude::*;
use tokio::fs::File;
use tokio::io::{AsyncBufRead, BufReader};
use tokio::time::{Interval, interval};

use crate::line_codec::LONGEST;
use crate::lines::Lines;
use crate::messages::{Origin, RawLine};
use crate::progress::Progress;
use crate::tally::Tally;

/// The week of the example.
const BUNDLED: &[u8] = include_bytes!("../data/quakes.ndjson");

/// Why the feed ended early.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FeedError {
    #[error("cannot open `{}`: {source}", path.display())]
    Open { path: PathBuf, source: io::Error },
    #[error("cannot read on after line {line}: {source}")]
    Read { line: u64, source: io::Error },
    #[error("line {line} could not be published: {source}")]
    Publish {
        line: u64,
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    #[error("the feed panicked")]
    Panicked,
}

/// An opened source of lines.
pub(crate) struct Source {
    reader: Box<dyn AsyncBufRead + Send + Unpin>,
    /// Unknown of a stream.
    pub(crate) bytes: Option<u64>,
}

impl Source {
    /// The week of the example.
    pub(crate) fn bundled() -> Self {
        Self {
            reader: Box::new(BUNDLED),
            bytes: Some(BUNDLED.len() as u64),
        }
    }

    /// Opens `path`; `-` is standard input, and the week of the example is what is read without.
    pub(crate) async fn open(path: Option<PathBuf>) -> Result<Self, FeedError> {
        let Some(path) = path else {
            return Ok(Self::bundled());
        };
        if path == Path::new("-") {
            return Ok(Self {
                reader: Box::new(BufReader::new(tokio::io::stdin())),
                bytes: None,
            });
        }
        match Self::file(&path).await {
            Ok(source) => Ok(source),
            Err(source) => Err(FeedError::Open { path, source }),
        }
    }

    async fn file(path: &Path) -> io::Result<Self> {
        let file = File::open(path).await?;
        let about = file.metadata().await?;
        if about.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        Ok(Self {
            reader: Box::new(BufReader::new(file)),
            bytes: about.is_file().then_some(about.len()),
        })
    }
}

/// Publishes the lines of a source.
pub(crate) struct Feed {
    lines: Lines<Box<dyn AsyncBufRead + Send + Unpin>>,
    /// Lines a second.
    rate: Option<u32>,
    tally: Tally,
    progress: Progress,
}

impl Feed {
    pub(crate) fn new(source: Source, rate: Option<u32>, tally: Tally, progress: Progress) -> Self {
        Self {
            lines: Lines::new(source.reader, LONGEST),
            rate,
            tally,
            progress,
        }
    }

    /// Publishes every line, and waits until all that came of them is settled.
    pub(crate) async fn run(mut self, publisher: impl Publisher) -> Result<(), FeedError> {
        let mut pace = self
            .rate
            .map(|rate| interval(Duration::from_secs(1) / rate));
        let mut line = 0;
        while let Some(text) = self.next(line).await? {
            line += 1;
            tick(pace.as_mut()).await;
            self.tally.room().await;
            self.tally.published();
            publisher
                .message(&RawLine(text))
                .with_headers(&Origin { line })
                .publish()
                .await
                .map_err(|error| FeedError::Publish {
                    line,
                    source: error.into(),
                })?;
            self.progress.read(self.lines.bytes());
        }
        self.tally.drained().await;
        Ok(())
    }

    async fn next(&mut self, line: u64) -> Result<Option<bytes::Bytes>, FeedError> {
        self.lines
            .next()
            .await
            .map_err(|source| FeedError::Read { line, source })
    }
}

async fn tick(pace: Option<&mut Interval>) {
    if let Some(pace) = pace {
        pace.tick().await;
    }
}
