//! A subscription of the yard, single or in batches.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::Poll;

use futures_core::Stream;
use futures_util::stream;
use ruststream::{BatchSubscriber, Subscriber};

use super::delivery::{Delivery, Rack};
use super::queue::{Found, Queue};
use super::yard::{Hub, Refused};

pub(crate) struct Subscription {
    name: String,
    queue: Arc<Queue>,
    hub: Arc<Hub>,
}

impl Subscription {
    pub(super) fn open(hub: &Arc<Hub>, name: &str) -> Result<Self, Refused> {
        hub.perform(format!("open {name}"))?;
        hub.held.fetch_add(1, Ordering::SeqCst);
        Ok(Self {
            name: name.to_owned(),
            queue: hub.queue(name),
            hub: Arc::clone(hub),
        })
    }

    fn refused(&self) -> Refused {
        Refused(format!("read {}", self.name))
    }
}

impl Subscriber for Subscription {
    type Message = Delivery;
    type Error = Refused;

    fn stream(&mut self) -> impl Stream<Item = Result<Delivery, Refused>> + Send + '_ {
        stream::poll_fn(|cx| {
            self.queue.poll(cx).map(|found| match found {
                Found::Letter(letter) => Some(Ok(Delivery::new(letter, &self.queue, &self.hub))),
                Found::Error => Some(Err(self.refused())),
                Found::End => None,
            })
        })
    }
}

impl BatchSubscriber for Subscription {
    type Batch = Rack;

    /// As many as wait, at most `size`.
    fn batches(
        &mut self,
        size: NonZeroUsize,
    ) -> impl Stream<Item = Result<Rack, Refused>> + Send + '_ {
        stream::poll_fn(move |cx| {
            self.queue.poll(cx).map(|found| match found {
                Found::Letter(first) => {
                    let more = std::iter::from_fn(|| self.queue.pop()).take(size.get() - 1);
                    let letters = std::iter::once(first).chain(more);
                    let deliveries =
                        letters.map(|letter| Delivery::new(letter, &self.queue, &self.hub));
                    Some(Ok(Rack::new(deliveries.collect())))
                }
                Found::Error => Some(Err(self.refused())),
                Found::End => None,
            })
        })
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.hub.held.fetch_sub(1, Ordering::SeqCst);
        self.hub.journal.note(format!("close {}", self.name));
    }
}
