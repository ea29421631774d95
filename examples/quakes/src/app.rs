//! The service: what is mounted, and how it starts and stops.

use std::convert::Infallible;
use std::time::Duration;

use ruststream::memory::prelude::*;
use tokio::sync::oneshot;

use crate::feed::{Feed, FeedError};
use crate::handlers::{show, sort};
use crate::line_codec::LineCodec;
use crate::line_span::LineSpan;
use crate::messages::Alerts;
use crate::settled::Settled;
use crate::state::Observatory;

/// What a signal leaves a delivery in hand to finish.
const PATIENCE: Duration = Duration::from_secs(10);

/// How the feed ended. Nothing comes if the service stopped before.
pub(crate) type Through = oneshot::Receiver<Result<(), FeedError>>;

/// Puts the service together, and says how to wait for the end of its feed.
pub(crate) fn app(observatory: Observatory, feed: Feed) -> (impl App, Through) {
    let (through, ended) = oneshot::channel();
    let (stop, stopping) = oneshot::channel::<Infallible>();
    let settled = Settled {
        tally: observatory.tally.clone(),
        progress: observatory.progress.clone(),
    };

    let app = RustStream::new(AppInfo::new("quakes", env!("CARGO_PKG_VERSION")))
        .layer(LineSpan)
        .layer(settled)
        .on_startup(async move |()| Ok::<_, Infallible>(observatory))
        .on_shutdown(async move |_| {
            drop(stop);
            Ok::<_, Infallible>(())
        })
        .shutdown_timeout(PATIENCE)
        .with_broker_codec(MemoryBroker::new(), LineCodec, |b| {
            b.include(sort).out(Alerts, Publish).build();
            b.include(show);
            // Hooks hold up the start; the feed takes as long as it takes.
            b.after_startup(Publish, async move |publisher| {
                tokio::spawn(async move {
                    tokio::select! {
                        end = feed.run(publisher) => drop(through.send(end)),
                        _ = stopping => {}
                    }
                });
                Ok::<_, Infallible>(())
            });
        });
    (app, ended)
}
