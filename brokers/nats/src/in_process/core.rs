//! Core subscriptions of the bus.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::task::{Context, Poll};

use async_nats::Message;
use tokio::sync::mpsc;

use super::bus::Bus;
use super::ticket::Ticket;
use crate::message::CoreMessage;
use crate::openings::Recorded;
use crate::subject::matches;

/// The Core subscriptions, in the order of their opening.
#[derive(Default)]
pub(super) struct Subscriptions {
    open: Vec<Subscription>,
    /// Whose turn it is in each group; a group is its name, across subjects.
    turns: HashMap<String, usize>,
}

struct Subscription {
    id: u64,
    pattern: String,
    group: Option<String>,
    queue: mpsc::UnboundedSender<(Message, Ticket)>,
}

impl Subscriptions {
    pub(super) fn open(
        &mut self,
        id: u64,
        pattern: &str,
        group: Option<&str>,
    ) -> mpsc::UnboundedReceiver<(Message, Ticket)> {
        // NATS-G5: a queue without a bound. No test here sees a slow consumer. Live:
        // `a_slow_consumer_is_an_event_and_the_subscription_goes_on`.
        let (queue, receiver) = mpsc::unbounded_channel();
        self.open.push(Subscription {
            id,
            pattern: pattern.to_owned(),
            group: group.map(str::to_owned),
            queue,
        });
        receiver
    }

    pub(super) fn close(&mut self, id: u64) {
        self.open.retain(|subscription| subscription.id != id);
    }

    pub(super) fn close_all(&mut self) {
        self.open.clear();
    }

    /// Hands `message` over; answers how many subscriptions got it.
    pub(super) fn deliver(&mut self, message: &Message, ticket: impl Fn() -> Ticket) -> u64 {
        let reached = self.reached(&message.subject);
        for group in self.groups_at(&message.subject) {
            *self.turns.entry(group).or_default() += 1;
        }
        let subscriptions = self.open.iter().filter(|open| reached.contains(&open.id));
        let mut handed = 0;
        for subscription in subscriptions {
            let _gone = subscription.queue.send((message.clone(), ticket()));
            handed += 1;
        }
        handed
    }

    /// Which subscriptions the next publish to `subject` reaches.
    ///
    /// NATS-G11: the members of a group take turns; a server picks as it likes. No test here may
    /// rely on which member gets which message. Live: `a_queue_group_shares_and_an_observer_sees_all`.
    pub(super) fn reached(&self, subject: &str) -> HashSet<u64> {
        let reading = || {
            self.open
                .iter()
                .filter(|open| matches(&open.pattern, subject))
        };
        let mut reached: HashSet<u64> = reading()
            .filter(|open| open.group.is_none())
            .map(|open| open.id)
            .collect();
        for group in self.groups_at(subject) {
            let members: Vec<u64> = reading()
                .filter(|open| open.group.as_deref() == Some(&group))
                .map(|open| open.id)
                .collect();
            let turn = self.turns.get(&group).copied().unwrap_or_default();
            reached.extend(members.get(turn % members.len().max(1)));
        }
        reached
    }

    fn groups_at(&self, subject: &str) -> HashSet<String> {
        let reading = self
            .open
            .iter()
            .filter(|open| matches(&open.pattern, subject));
        reading.filter_map(|open| open.group.clone()).collect()
    }
}

/// The reading end of a Core subscription.
pub(crate) struct CoreFeed {
    queue: mpsc::UnboundedReceiver<(Message, Ticket)>,
    bus: Arc<Bus>,
    recorded: Recorded,
}

impl CoreFeed {
    pub(super) const fn new(
        bus: Arc<Bus>,
        recorded: Recorded,
        queue: mpsc::UnboundedReceiver<(Message, Ticket)>,
    ) -> Self {
        Self {
            queue,
            bus,
            recorded,
        }
    }

    pub(crate) fn poll_message(&mut self, cx: &mut Context<'_>) -> Poll<Option<CoreMessage>> {
        let message = self.queue.poll_recv(cx);
        message
            .map(|message| message.map(|(message, ticket)| CoreMessage::counted(message, ticket)))
    }
}

impl Drop for CoreFeed {
    fn drop(&mut self) {
        self.bus.state().core.close(self.recorded.id());
    }
}
