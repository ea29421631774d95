//! The service: what is mounted, and how it starts and stops.

use std::convert::Infallible;
use std::time::Duration;

use ruststream::memory::{MemoryBroker, MemoryPublish};
use ruststream::prelude::*;
#[cfg(feature = "nats")]
use ruststream_nats::{NatsBroker, NatsPublish};
use tokio::sync::oneshot;

use crate::feed::{Feed, FeedError};
use crate::handlers::{show, sort};
use crate::line_codec::LineCodec;
use crate::line_span::LineSpan;
use crate::messages::Alerts;
use crate::options::Transport;
use crate::settled::Settled;
use crate::state::Observatory;

/// What a signal leaves a delivery in hand to finish.
const PATIENCE: Duration = Duration::from_secs(10);

/// How the feed ended. Nothing comes if the service stopped before.
pub(crate) type Through = oneshot::Receiver<Result<(), FeedError>>;

/// What is mounted on a broker. A macro, since a scope's type says which broker it is of.
macro_rules! mount {
    ($b:ident, $publish:expr, $feeding:ident) => {
        $b.include(sort).out(Alerts, $publish).build();
        $b.include(show);
        // Hooks hold up the start; the feed takes as long as it takes.
        $b.after_startup($publish, async move |publisher| {
            tokio::spawn($feeding.run(publisher));
            Ok::<_, Infallible>(())
        });
    };
}

/// Puts the service together, and says how to wait for the end of its feed.
pub(crate) fn app(
    transport: Transport,
    observatory: Observatory,
    feed: Feed,
) -> (impl App, Through) {
    let (through, ended) = oneshot::channel();
    let (stop, stopping) = oneshot::channel::<Infallible>();
    let settled = Settled {
        tally: observatory.tally.clone(),
        progress: observatory.progress.clone(),
    };
    let feeding = Feeding {
        feed,
        through,
        stopping,
    };

    let app = RustStream::new(AppInfo::new("quakes", env!("CARGO_PKG_VERSION")))
        .layer(LineSpan)
        .layer(settled)
        .on_startup(async move |()| Ok::<_, Infallible>(observatory))
        .on_shutdown(async move |_| {
            drop(stop);
            Ok::<_, Infallible>(())
        })
        .shutdown_timeout(PATIENCE);
    let app = match transport {
        Transport::Memory => app.with_broker_codec(MemoryBroker::new(), LineCodec, |b| {
            mount!(b, MemoryPublish, feeding);
        }),
        #[cfg(feature = "nats")]
        Transport::Nats(addrs) => app.with_broker_codec(NatsBroker::new(addrs), LineCodec, |b| {
            mount!(b, NatsPublish, feeding);
        }),
    };
    (app, ended)
}

/// The feed, and whom its end concerns.
struct Feeding {
    feed: Feed,
    through: oneshot::Sender<Result<(), FeedError>>,
    stopping: oneshot::Receiver<Infallible>,
}

impl Feeding {
    async fn run(self, publisher: impl Publisher) {
        tokio::select! {
            end = self.feed.run(publisher) => drop(self.through.send(end)),
            _ = self.stopping => {}
        }
    }
}
