//! What a publishing handle sends through: the bus, and the way to where it sends most.
//!
//! A handle remembers one name, the first it finds with a sole reader, and that reader's queue. A
//! publish to that name goes to the queue without the registry: whether the queue still is all that
//! the name reaches is state of the queue itself, read under the lock that the push takes anyway.
//! The registry keeps it true, under its own lock, whenever a subscription comes or goes.
//!
//! In the same way it remembers the first name it finds that nobody reads, and as of which change of
//! the bus: until the next one, what is published to that name goes nowhere.
//!
//! NOTE: this keeps the bus's total order. A queue that is some name's sole destination gets
//! nothing but publishes to that name, so no two queues can see two messages in different order.
//! A commit, which does write to several queues at once, holds them all while it does.

use std::mem;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use bytes::BytesMut;
use ruststream_core::HeaderMap;
use ruststream_core::codec::give_back;

use crate::block::Block;
use crate::bus::Bus;
use crate::draft::Draft;
use crate::entry::{Entry, Message};
use crate::error::ShutDown;
use crate::inbox;
use crate::name::Name;
use crate::queue::QueueRef;
use crate::topic::Reach;

/// A handle's way into the bus.
pub(crate) struct Sender {
    bus: Arc<Bus>,
    home: OnceLock<Name>,
    /// The packed queue of `home`'s sole reader when last asked for; zero is none.
    reader: AtomicU64,
    unread: OnceLock<Name>,
    /// The change of the bus as of which nobody read `unread`.
    unread_as_of: AtomicU64,
}

/// No change has this number.
const NEVER: u64 = u64::MAX;

impl Sender {
    pub(crate) const fn new(bus: Arc<Bus>) -> Self {
        Self {
            bus,
            home: OnceLock::new(),
            reader: AtomicU64::new(0),
            unread: OnceLock::new(),
            unread_as_of: AtomicU64::new(NEVER),
        }
    }

    pub(crate) const fn bus(&self) -> &Arc<Bus> {
        &self.bus
    }

    #[inline]
    pub(crate) fn send(
        &self,
        name: &str,
        mut payload: BytesMut,
        headers: HeaderMap,
    ) -> Result<(), ShutDown> {
        let known = self.known_reader(name);
        let sole = known.and_then(|(home, reader)| Some((home, reader.lock_sole()?)));
        let Some((home, mut queue)) = sole else {
            if self.goes_nowhere(name) {
                give_back(&mut payload);
                return Ok(());
            }
            return self.send_routed(name, payload, headers);
        };
        let message = Message::Own(Block {
            name: home.clone(),
            payload,
            headers,
        });
        let waker = queue.push(Entry::fresh(message, 0, self.bus.observer.queued()));
        drop(queue);
        if let Some(waker) = waker {
            waker.wake();
        }
        Ok(())
    }

    #[inline]
    fn known_reader(&self, name: &str) -> Option<(&Name, QueueRef)> {
        let home = self
            .home
            .get()
            .filter(|home| home.as_bytes() == name.as_bytes())?;
        // The table behind the number is never unmade, and the queue knows if it changed hands.
        let reader = QueueRef::unpack(self.reader.load(Ordering::Relaxed))?;
        Some((home, reader))
    }

    #[inline]
    fn goes_nowhere(&self, name: &str) -> bool {
        self.unread_as_of.load(Ordering::Relaxed) == self.bus.changes()
            && self
                .unread
                .get()
                .is_some_and(|unread| unread.as_bytes() == name.as_bytes())
    }

    #[inline(never)]
    fn send_routed(
        &self,
        name: &str,
        payload: BytesMut,
        headers: HeaderMap,
    ) -> Result<(), ShutDown> {
        let mut parts = (payload, headers);
        if let Some(number) = inbox::number(name) {
            let reply = || {
                let (payload, headers) = mem::take(&mut parts);
                Message::Own(Block {
                    name: Name::new(name),
                    payload,
                    headers,
                })
            };
            if self.bus.reply(number, reply)? {
                return Ok(());
            }
        }
        let (payload, headers) = parts;
        let (reach, as_of) = self.bus.publish(name, Draft::new(payload, headers))?;
        match reach {
            Reach::Sole(sole) => {
                if *self.home.get_or_init(|| sole.name.clone()) == sole.name {
                    self.reader.store(sole.queue.pack(), Ordering::Relaxed);
                }
            }
            Reach::Nobody => {
                let unread = self.unread.get_or_init(|| Name::new(name));
                if unread.as_bytes() == name.as_bytes() {
                    self.unread_as_of.store(as_of, Ordering::Relaxed);
                }
            }
            Reach::Others => {}
        }
        Ok(())
    }
}

impl Clone for Sender {
    fn clone(&self) -> Self {
        Self {
            bus: Arc::clone(&self.bus),
            home: self.home.clone(),
            reader: AtomicU64::new(self.reader.load(Ordering::Relaxed)),
            unread: self.unread.clone(),
            unread_as_of: AtomicU64::new(self.unread_as_of.load(Ordering::Relaxed)),
        }
    }
}
