//! What all handles of one broker share.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Poll, Waker};

use tokio::runtime::Handle;

use crate::aftermath::Aftermath;
use crate::block::Block;
use crate::draft::Draft;
use crate::entry::Message;
use crate::error::{MemoryError, ShutDown};
use crate::name::Name;
use crate::observe::Observer;
use crate::pattern::Pattern;
use crate::position::MemoryPosition;
use crate::queue::{Owner, QueueRef};
use crate::registration::Registration;
use crate::registry::Registry;
use crate::retention::Keep;
use crate::routing::Routing;
use crate::sync::lock;
use crate::topic::Reach;

/// The bus: its registry, and the order in which things are done around that lock.
pub(crate) struct Bus {
    pub(crate) registry: Mutex<Registry>,
    /// Counts, under that lock, the changes after which a publish may reach more than before.
    changes: AtomicU64,
    pub(crate) observer: Observer,
}

impl Bus {
    pub(crate) fn new(keep: Keep) -> Arc<Self> {
        Arc::new(Self {
            registry: Mutex::new(Registry::new(keep)),
            changes: AtomicU64::new(0),
            observer: Observer::default(),
        })
    }

    /// The registry, for a change after which a publish may reach more, or fail.
    pub(crate) fn change(&self) -> MutexGuard<'_, Registry> {
        let registry = lock(&self.registry);
        self.changes.fetch_add(1, Ordering::Release);
        registry
    }

    /// How often that was so.
    #[inline]
    pub(crate) fn changes(&self) -> u64 {
        self.changes.load(Ordering::Acquire)
    }

    pub(crate) fn set_routing(&self, routing: Routing) {
        self.change().set_routing(routing);
    }

    pub(crate) fn revive(&self) {
        self.change().revive();
    }

    pub(crate) fn shut_down(&self) -> usize {
        let mut aftermath = Aftermath::new();
        let dropped = self.change().shut_down(&mut aftermath);
        aftermath.settle();
        dropped
    }

    /// Publishes, and answers whom that reached as of which change.
    pub(crate) fn publish(&self, name: &str, mut draft: Draft) -> Result<(Reach, u64), ShutDown> {
        let mut aftermath = Aftermath::new();
        let mut registry = lock(&self.registry);
        let reach = registry.publish(name, &mut draft, &self.observer, &mut aftermath);
        let as_of = self.changes();
        drop(registry);
        aftermath.settle();
        Ok((reach?, as_of))
    }

    /// Delivers a message to the inbox that it names, if nobody else may get it; otherwise gives it
    /// back, for [`publish`](Self::publish).
    pub(crate) fn reply(
        &self,
        number: u64,
        message: impl FnOnce() -> Message,
    ) -> Result<bool, ShutDown> {
        let mut registry = lock(&self.registry);
        registry.check_live()?;
        if !registry.inboxes_alone() {
            return Ok(false);
        }
        let waker = registry.inboxes.deliver(number, message);
        drop(registry);
        if let Some(waker) = waker {
            waker.wake();
        }
        Ok(true)
    }

    pub(crate) fn commit(&self, buffer: Vec<Arc<Block>>) -> Result<(), ShutDown> {
        let mut aftermath = Aftermath::new();
        let mut registry = lock(&self.registry);
        let live = registry.check_live();
        if live.is_ok() {
            registry.commit(buffer, &self.observer, &mut aftermath);
        }
        drop(registry);
        aftermath.settle();
        live
    }

    /// Opens a subscription to one name. On a shut-down bus the registration is none.
    pub(crate) fn subscribe_name(
        self: &Arc<Self>,
        name: &str,
        runtime: Option<Handle>,
    ) -> (Registration, Result<(), ShutDown>) {
        let registration = Registration::by_name(self, Name::new(name), runtime);
        let mut registry = self.change();
        let live = registry.check_live();
        if live.is_ok() {
            registry.subscribe_name(registration.name(), registration.queue());
        }
        drop(registry);
        (registration, live)
    }

    pub(crate) fn subscribe_pattern(
        self: &Arc<Self>,
        pattern: Pattern,
        runtime: Option<Handle>,
    ) -> Result<Registration, ShutDown> {
        let registration = Registration::by_pattern(self, Name::new(pattern.text()), runtime);
        let mut registry = self.change();
        let live = registry.check_live();
        if live.is_ok() {
            registry.subscribe_pattern(pattern, registration.queue());
        }
        drop(registry);
        live.map(|()| registration)
    }

    pub(crate) fn unsubscribe_name(&self, name: &Name, queue: QueueRef) {
        lock(&self.registry).unsubscribe_name(name, queue);
    }

    pub(crate) fn unsubscribe_pattern(&self, text: &Name, queue: QueueRef) {
        lock(&self.registry).unsubscribe_pattern(text, queue);
    }

    pub(crate) fn owner(self: &Arc<Self>, runtime: Option<Handle>) -> Owner {
        Owner {
            bus: Arc::clone(self),
            runtime,
        }
    }

    pub(crate) fn seek(
        &self,
        name: &Name,
        queue: QueueRef,
        to: MemoryPosition,
    ) -> Result<(), MemoryError> {
        let mut aftermath = Aftermath::new();
        let registry = lock(&self.registry);
        let skipped = registry.seek(name, queue, to, &self.observer, &mut aftermath);
        drop(registry);
        aftermath.settle();
        skipped.map(drop)
    }

    pub(crate) fn open_inbox(&self) -> Result<u64, ShutDown> {
        let mut registry = lock(&self.registry);
        registry.check_live()?;
        Ok(registry.inboxes.open())
    }

    pub(crate) fn poll_inbox(&self, number: u64, waker: &Waker) -> Poll<Result<Message, ShutDown>> {
        let mut replaced = None;
        let mut registry = lock(&self.registry);
        let reply = registry.inboxes.poll(number, waker, &mut replaced);
        drop(registry);
        reply
    }

    pub(crate) fn close_inbox(&self, number: u64) {
        let state = lock(&self.registry).inboxes.close(number);
        drop(state);
    }
}

impl fmt::Debug for Bus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bus").finish_non_exhaustive()
    }
}
