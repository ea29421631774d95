//! A subscription's place on its bus.

use std::sync::Arc;

use tokio::runtime::Handle;

use crate::bus::Bus;
use crate::name::Name;
use crate::queue::QueueRef;

/// Keeps a subscription registered; dropped, it leaves neither queue nor registration behind.
pub(crate) struct Registration {
    bus: Arc<Bus>,
    queue: QueueRef,
    name: Name,
    by_pattern: bool,
}

impl Registration {
    pub(crate) fn by_name(bus: &Arc<Bus>, name: Name, runtime: Option<Handle>) -> Self {
        Self::open(bus, name, runtime, false)
    }

    pub(crate) fn by_pattern(bus: &Arc<Bus>, text: Name, runtime: Option<Handle>) -> Self {
        Self::open(bus, text, runtime, true)
    }

    fn open(bus: &Arc<Bus>, name: Name, runtime: Option<Handle>, by_pattern: bool) -> Self {
        Self {
            queue: QueueRef::open(bus.owner(runtime)),
            bus: Arc::clone(bus),
            name,
            by_pattern,
        }
    }

    #[inline]
    pub(crate) const fn queue(&self) -> QueueRef {
        self.queue
    }

    pub(crate) const fn bus(&self) -> &Arc<Bus> {
        &self.bus
    }

    pub(crate) const fn name(&self) -> &Name {
        &self.name
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        // First no publish finds the queue any more, then the queue goes.
        if self.by_pattern {
            self.bus.unsubscribe_pattern(&self.name, self.queue);
        } else {
            self.bus.unsubscribe_name(&self.name, self.queue);
        }
        self.queue.close();
    }
}
