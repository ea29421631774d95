//! What happened, in the order in which it was told.
//!
//! Records are only ever appended, so a view that is frozen at an event is a length.

use std::sync::Arc;

use ruststream_core::RawMessage;
use ruststream_runtime::observe::{Call, Delivered, Options};

/// Room for the publishes of a long test: growing would show in a test that counts allocations.
const PUBLISHES: usize = 1024;

/// One run of a handler.
#[derive(Debug)]
pub(crate) struct CallRecord {
    pub(crate) scope: usize,
    pub(crate) name: Arc<str>,
    pub(crate) deliveries: Vec<Delivered>,
    pub(crate) panicked: bool,
    pub(crate) decode_failed: bool,
}

/// A message that a broker took.
#[derive(Debug)]
pub(crate) struct PublishRecord {
    pub(crate) scope: usize,
    pub(crate) message: RawMessage,
    pub(crate) options: Seen,
    pub(crate) from: u64,
    pub(crate) until: u64,
}

/// Whose publish it was.
#[derive(Debug)]
pub(crate) enum Seen {
    /// The test's own, whose options nobody sees.
    Tests,
    /// The service's, with its options.
    Services(Options),
}

/// A publish through a slot.
#[derive(Debug)]
pub(crate) struct AttemptRecord {
    pub(crate) slot: &'static str,
    pub(crate) message: RawMessage,
    pub(crate) options: Options,
}

/// A subscription.
#[derive(Debug, Clone)]
pub(crate) struct Mount {
    pub(crate) scope: usize,
    pub(crate) name: Arc<str>,
}

#[derive(Debug)]
pub(crate) struct Records {
    mounts: Vec<Mount>,
    calls: Vec<Arc<CallRecord>>,
    published: Vec<Arc<PublishRecord>>,
    attempts: Vec<Arc<AttemptRecord>>,
}

impl Records {
    pub(super) fn new() -> Self {
        Self {
            mounts: Vec::new(),
            calls: Vec::new(),
            published: Vec::with_capacity(PUBLISHES),
            attempts: Vec::with_capacity(PUBLISHES),
        }
    }

    pub(super) fn mount(&mut self, scope: usize, name: &str) -> usize {
        self.mounts.push(Mount {
            scope,
            name: Arc::from(name),
        });
        self.mounts.len() - 1
    }

    pub(super) fn mounts(&self) -> &[Mount] {
        &self.mounts
    }

    /// Appends a call; the number is how many there are then.
    pub(super) fn push_call(&mut self, call: Call) -> Option<(Arc<CallRecord>, usize)> {
        let Mount { scope, name } = self.mounts.get(call.mount)?.clone();
        let record = Arc::new(CallRecord {
            scope,
            name,
            deliveries: call.deliveries,
            panicked: call.panicked,
            decode_failed: call.decode_failed,
        });
        self.calls.push(Arc::clone(&record));
        Some((record, self.calls.len()))
    }

    pub(super) fn push_published(&mut self, record: Arc<PublishRecord>) -> usize {
        self.published.push(record);
        self.published.len()
    }

    pub(super) fn push_attempt(&mut self, record: AttemptRecord) -> usize {
        self.attempts.push(Arc::new(record));
        self.attempts.len()
    }

    /// The calls of the subscriptions called `name` of one broker, among the first `within`.
    pub(crate) fn calls(&self, scope: usize, name: &str, within: usize) -> Vec<Arc<CallRecord>> {
        let of_it = |call: &&Arc<CallRecord>| call.scope == scope && *call.name == *name;
        self.calls
            .iter()
            .take(within)
            .filter(of_it)
            .cloned()
            .collect()
    }

    /// What was published under `name` on one broker, among the first `within`.
    pub(crate) fn published(
        &self,
        scope: usize,
        name: &str,
        within: usize,
    ) -> Vec<Arc<PublishRecord>> {
        let of_it = |publish: &&Arc<PublishRecord>| {
            publish.scope == scope && publish.message.name() == name
        };
        self.published
            .iter()
            .take(within)
            .filter(of_it)
            .cloned()
            .collect()
    }

    /// The names that the service subscribes to on one broker, in their order.
    pub(crate) fn subscriptions(&self, scope: usize) -> Vec<String> {
        let mounts = self.mounts.iter().filter(|mount| mount.scope == scope);
        let mut names: Vec<String> = mounts.map(|mount| format!("{:?}", &*mount.name)).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The names that were published to on one broker, in their order.
    pub(crate) fn destinations(&self, scope: usize) -> Vec<String> {
        let published = self
            .published
            .iter()
            .filter(|publish| publish.scope == scope);
        let mut names: Vec<String> = published
            .map(|publish| format!("{:?}", publish.message.name()))
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The slots that were published through, in their order.
    pub(crate) fn slots(&self) -> Vec<String> {
        let slots = self
            .attempts
            .iter()
            .map(|attempt| format!("`{}`", attempt.slot));
        let mut names: Vec<String> = slots.collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Every publish that a broker took.
    pub(super) fn all_published(&self) -> &[Arc<PublishRecord>] {
        &self.published
    }

    /// What was published through a slot, among the first `within`.
    pub(crate) fn attempts(&self, slot: &str, within: usize) -> Vec<Arc<AttemptRecord>> {
        let of_it = |attempt: &&Arc<AttemptRecord>| attempt.slot == slot;
        self.attempts
            .iter()
            .take(within)
            .filter(of_it)
            .cloned()
            .collect()
    }
}
