//! The harness's side: the transport that a test drives is the production one.

use std::num::NonZeroUsize;

use bytes::BytesMut;
use ruststream_core::testing::{Backlog, Coordinator, InProcess, TestableBroker};
use ruststream_core::{Broker, Bytes, OutgoingMessage, RawMessage, Str, register_testable_broker};

use crate::bus::Bus;
use crate::connected::ConnectedMemoryBroker;
use crate::draft::Draft;
use crate::error::MemoryError;
use crate::inbox;
use crate::log_mode::{Discarding, LogMode, Retaining};
use crate::pattern::{Pattern, has_wildcard};
use crate::retention::{Keep, Retention};
use crate::routing::Routing;
use crate::sync::lock;
use crate::{MemoryBroker, block::Block};

register_testable_broker!(MemoryBroker<Discarding>);
register_testable_broker!(MemoryBroker<Retaining>);

impl<Log: LogMode> InProcess for MemoryBroker<Log> {
    /// The same as [`connect`](Broker::connect).
    async fn connect_in_process(self) -> Result<ConnectedMemoryBroker<Log>, MemoryError> {
        self.connect().await
    }
}

impl<Log: LogMode> TestableBroker for ConnectedMemoryBroker<Log> {
    /// A discarding broker keeps everything that is published from now on; a retaining one keeps
    /// what it declared.
    fn install_coordinator(&self, coordinator: Coordinator) {
        self.bus.observe(coordinator);
    }

    /// # Panics
    ///
    /// On a bus that was shut down.
    fn inject(&self, message: OutgoingMessage<'_>) {
        let (name, payload, headers) = message.into_parts();
        let draft = Draft::new(BytesMut::from(payload), headers);
        let sent = self.bus.publish(name, draft);
        assert!(
            sent.is_ok(),
            "a message for `{name}` was injected into an in-memory broker that is shut down"
        );
    }

    fn published(&self, name: &str) -> Vec<RawMessage> {
        self.bus.recorded(name)
    }

    fn evicted(&self, name: &str) -> usize {
        self.bus.evicted(name)
    }

    fn routes(&self, destination: &str, subscriptions: &[&str]) -> Vec<usize> {
        self.bus.routes(destination, subscriptions)
    }

    fn backlog(&self) -> Backlog {
        Backlog::Missed
    }
}

impl Bus {
    fn observe(&self, coordinator: Coordinator) {
        let mut registry = self.change();
        if self.observer.install(coordinator) && !registry.keep.records() {
            registry.keep = Keep::Within(Retention::Messages(NonZeroUsize::MAX));
            // Publishers that went to a sole reader directly pass the log from now on.
            registry.review_all();
        }
    }

    fn recorded(&self, name: &str) -> Vec<RawMessage> {
        let registry = lock(&self.registry);
        let topic = registry.topics.get(name.as_bytes());
        let log = topic.into_iter().flat_map(|topic| topic.log.from(0));
        log.map(|(_, block)| raw(block)).collect()
    }

    /// How many of the oldest messages under `name` the declared bound pushed out.
    fn evicted(&self, name: &str) -> usize {
        let registry = lock(&self.registry);
        let topic = registry.topics.get(name.as_bytes());
        topic.map_or(0, |topic| topic.log.oldest())
    }

    fn routes(&self, destination: &str, subscriptions: &[&str]) -> Vec<usize> {
        let registry = lock(&self.registry);
        if registry.check_live().is_err() {
            return Vec::new();
        }
        let pattern_of = |name: &str| has_wildcard(name).then(|| Pattern::parse(name).ok())?;
        let patterns = subscriptions.iter().map(|name| pattern_of(name));
        let matching: Vec<Option<Pattern>> = patterns
            .map(|pattern| pattern.filter(|pattern| pattern.matches(destination)))
            .collect();

        let exact = |name: &str| name == destination && !has_wildcard(name);
        let best = match registry.routing {
            Routing::EveryMatch => None,
            Routing::MostSpecific => {
                let read = registry.topics.get(destination.as_bytes());
                let exactly = read.is_some_and(|topic| !topic.readers.is_empty())
                    || inbox::number(destination).is_some_and(|n| registry.inboxes.is_open(n))
                    || subscriptions.iter().any(|name| exact(name));
                let registered = registry.patterns.iter().map(|group| &group.pattern);
                let candidates = registered
                    .filter(|pattern| pattern.matches(destination))
                    .chain(matching.iter().flatten())
                    .filter(|_| !exactly);
                Some(candidates.min_by(|one, other| one.by_specificity(other)))
            }
        };
        let reaches = |position: &usize| {
            let by_pattern = || match (&matching[*position], &best) {
                (Some(_), None) => true,
                (Some(pattern), Some(Some(best))) => pattern.text() == best.text(),
                (None, _) | (_, Some(None)) => false,
            };
            exact(subscriptions[*position]) || by_pattern()
        };
        (0..subscriptions.len()).filter(reaches).collect()
    }
}

fn raw(block: &Block) -> RawMessage {
    RawMessage::new(
        Str::from(block.name.as_str()),
        Bytes::copy_from_slice(&block.payload),
    )
    .with_headers(block.headers.clone())
}
