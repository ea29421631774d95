//! Streams of the bus, as far as the client sees them.
//!
//! NATS-G1, NATS-G2: a stream exists as soon as a consumer or a publish names it, and has neither
//! subjects nor limits nor an age of its own: it stores what its consumers read. So no test here
//! proves that a stream was created, or what it stores. Live: `a_missing_stream_fails_the_start`,
//! `what_a_stream_refuses_is_told_by_the_variant_and_its_kind`.

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use async_nats::message::OutboundMessage;
use async_nats::{HeaderMap, Message, Subject};
use bytes::Bytes;
use tokio::sync::mpsc;

use super::bus::Bus;
use super::held::Held;
use super::ticket::Ticket;
use crate::message::{JetStreamMessage, NatsMessage, Settle};
use crate::openings::Recorded;
use crate::source::JetStreamSubject;
use crate::subject::matches;

/// The streams, in the order in which they were first named.
#[derive(Default)]
pub(super) struct Streams {
    known: Vec<Stream>,
    made_up: u64,
}

struct Stream {
    name: String,
    sequence: u64,
    consumers: Vec<Consumer>,
}

struct Consumer {
    name: String,
    filter: String,
    ack_wait: Duration,
    ephemeral: bool,
    sequence: u64,
    members: Vec<Member>,
    turn: usize,
    /// Deliveries that came back while no subscription was open.
    unclaimed: Vec<(Arc<Stored>, u64)>,
}

struct Member {
    id: u64,
    queue: mpsc::UnboundedSender<Delivery>,
}

/// A message that a stream holds.
pub(super) struct Stored {
    pub(super) subject: Subject,
    payload: Bytes,
    headers: Option<HeaderMap>,
    sequence: u64,
    time: u128,
}

/// Which consumer a delivery belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    stream: usize,
    consumer: usize,
}

/// A delivery in a subscription's queue.
pub(super) struct Delivery {
    pub(super) place: Place,
    pub(super) stored: Arc<Stored>,
    pub(super) delivered: u64,
    pub(super) ack_wait: Duration,
    consumer_sequence: u64,
    stream: String,
    consumer: String,
    pub(super) ticket: Ticket,
}

impl Streams {
    pub(super) fn open(
        &mut self,
        id: u64,
        source: &JetStreamSubject,
        ticket: impl Fn() -> Ticket,
    ) -> (Place, mpsc::UnboundedReceiver<Delivery>) {
        let stream = self.named(source.stream());
        let name = source.durable_name().map_or_else(
            || {
                self.made_up += 1;
                format!("ephemeral-{}", self.made_up)
            },
            str::to_owned,
        );
        let consumers = &mut self.known[stream].consumers;
        let found = consumers.iter().position(|consumer| consumer.name == name);
        let consumer = found.unwrap_or_else(|| {
            consumers.push(Consumer::new(name));
            consumers.len() - 1
        });
        let place = Place { stream, consumer };
        let (queue, receiver) = mpsc::unbounded_channel();
        let opened = &mut consumers[consumer];
        // As the server does: the consumer reads through the new settings, for all its subscriptions.
        // NATS-G10: whatever differs, also what a server holds immutable. Live:
        // `a_consumer_is_created_as_described_and_updated_but_for_its_start`.
        source.filter().clone_into(&mut opened.filter);
        opened.ack_wait = source.ack_window();
        opened.ephemeral = source.is_ephemeral();
        opened.members.push(Member { id, queue });
        for (stored, delivered) in std::mem::take(&mut opened.unclaimed) {
            self.hand_over(place, stored, delivered, &ticket);
        }
        (place, receiver)
    }

    /// NATS-G8, NATS-G17: the position of a durable consumer goes with its last subscription here.
    /// No test proves what a service finds after a restart. Live:
    /// `a_durable_resumes_where_it_was_and_another_replays`.
    pub(super) fn close(&mut self, place: Place, id: u64) {
        let consumer = &mut self.known[place.stream].consumers[place.consumer];
        consumer.members.retain(|member| member.id != id);
    }

    pub(super) fn close_all(&mut self) {
        let consumers = self
            .known
            .iter_mut()
            .flat_map(|stream| &mut stream.consumers);
        consumers.for_each(|consumer| consumer.members.clear());
    }

    fn named(&mut self, name: &str) -> usize {
        let known = self.known.iter().position(|stream| stream.name == name);
        known.unwrap_or_else(|| {
            self.known.push(Stream {
                name: name.to_owned(),
                sequence: 0,
                consumers: Vec::new(),
            });
            self.known.len() - 1
        })
    }

    /// The stream that stores a publish to `subject`: the first that reads it.
    pub(super) fn storing(&self, subject: &str) -> Option<usize> {
        let reads = |stream: &Stream| {
            stream
                .consumers
                .iter()
                .any(|consumer| matches(&consumer.filter, subject))
        };
        self.known.iter().position(reads)
    }

    /// The stream that stores a publish which expects `name` to; `None` if that is not so.
    pub(super) fn expected(&mut self, name: &str, subject: &str) -> Option<usize> {
        let expected = self.named(name);
        match self.storing(subject) {
            Some(storing) => (storing == expected).then_some(expected),
            // Nothing reads the stream yet, so nothing says what it stores.
            None => self.known[expected]
                .consumers
                .is_empty()
                .then_some(expected),
        }
    }

    /// Stores a message and hands it to each consumer that reads it.
    ///
    /// NATS-G9, NATS-G14, NATS-G15: no message is a duplicate and no expectation but the stream's
    /// name is looked at. Live: `a_repeated_message_id_is_acknowledged_and_stored_once`,
    /// `an_expectation_that_is_not_met_is_refused`. NATS-G16: what no open consumer reads is not kept
    /// for one that opens later. Live: `a_new_consumer_starts_where_its_policy_says`. NATS-G3: no
    /// limit of unacknowledged deliveries holds a message back. Live:
    /// `at_its_limit_of_unacknowledged_deliveries_a_consumer_waits`.
    pub(super) fn store(
        &mut self,
        stream: usize,
        frame: &OutboundMessage,
        ticket: impl Fn() -> Ticket,
    ) -> (String, u64, u64) {
        let into = &mut self.known[stream];
        into.sequence += 1;
        let sequence = into.sequence;
        let stored = Arc::new(Stored {
            subject: frame.subject.clone(),
            payload: frame.payload.clone(),
            headers: frame.headers.clone(),
            sequence,
            time: SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .map_or(0, |since| since.as_nanos()),
        });
        let name = into.name.clone();
        let mut handed = 0;
        for consumer in 0..self.known[stream].consumers.len() {
            let place = Place { stream, consumer };
            let reads = &self.known[stream].consumers[consumer];
            if matches(&reads.filter, &frame.subject) && !reads.members.is_empty() {
                self.hand_over(place, Arc::clone(&stored), 1, &ticket);
                handed += 1;
            }
        }
        (name, sequence, handed)
    }

    /// Which subscriptions the next publish to `subject` reaches: of each consumer the one whose
    /// turn it is.
    pub(super) fn reached(&self, subject: &str) -> HashSet<u64> {
        let Some(stream) = self.storing(subject) else {
            return HashSet::new();
        };
        let consumers = self.known[stream].consumers.iter();
        let reading = consumers.filter(|consumer| matches(&consumer.filter, subject));
        reading
            .filter_map(|consumer| consumer.next())
            .map(|member| member.id)
            .collect()
    }

    /// Puts a delivery into the queue of the subscription whose turn it is; kept where there is
    /// none.
    pub(super) fn hand_over(
        &mut self,
        place: Place,
        stored: Arc<Stored>,
        delivered: u64,
        ticket: impl Fn() -> Ticket,
    ) {
        let stream = &mut self.known[place.stream];
        let consumer = &mut stream.consumers[place.consumer];
        if consumer.members.is_empty() {
            // An ephemeral consumer is gone with its subscription.
            if !consumer.ephemeral {
                consumer.unclaimed.push((stored, delivered));
            }
            return;
        }
        consumer.sequence += 1;
        let delivery = Delivery {
            place,
            stored,
            delivered,
            ack_wait: consumer.ack_wait,
            consumer_sequence: consumer.sequence,
            stream: stream.name.clone(),
            consumer: consumer.name.clone(),
            ticket: ticket(),
        };
        if let Some(member) = consumer.next() {
            let _gone = member.queue.send(delivery);
        }
        consumer.turn += 1;
    }
}

impl Consumer {
    const fn new(name: String) -> Self {
        Self {
            name,
            filter: String::new(),
            ack_wait: Duration::ZERO,
            ephemeral: false,
            sequence: 0,
            members: Vec::new(),
            turn: 0,
            unclaimed: Vec::new(),
        }
    }

    fn next(&self) -> Option<&Member> {
        self.members.get(self.turn % self.members.len().max(1))
    }
}

/// The reading end of a JetStream subscription.
pub(crate) struct StreamFeed {
    queue: mpsc::UnboundedReceiver<Delivery>,
    bus: Arc<Bus>,
    place: Place,
    recorded: Recorded,
}

impl StreamFeed {
    pub(super) const fn new(
        bus: Arc<Bus>,
        recorded: Recorded,
        place: Place,
        queue: mpsc::UnboundedReceiver<Delivery>,
    ) -> Self {
        Self {
            queue,
            bus,
            place,
            recorded,
        }
    }

    pub(crate) fn poll_message(&mut self, cx: &mut Context<'_>) -> Poll<Option<NatsMessage>> {
        let delivery = self.queue.poll_recv(cx);
        delivery.map(|delivery| delivery.map(|delivery| self.message(delivery)))
    }

    /// NATS-G12: a batch takes what is there; no pull keeps it open. Live:
    /// `a_batch_is_one_pull_of_at_most_its_size`.
    pub(crate) fn poll_batch(
        &mut self,
        size: NonZeroUsize,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Vec<NatsMessage>>> {
        let mut batch = Vec::new();
        while batch.len() < size.get() {
            match self.poll_message(cx) {
                Poll::Ready(Some(message)) => batch.push(message),
                Poll::Ready(None) if batch.is_empty() => return Poll::Ready(None),
                Poll::Pending if batch.is_empty() => return Poll::Pending,
                Poll::Ready(None) | Poll::Pending => break,
            }
        }
        Poll::Ready(Some(batch))
    }

    fn message(&self, delivery: Delivery) -> NatsMessage {
        let Stored {
            subject,
            payload,
            headers,
            sequence,
            time,
        } = &*delivery.stored;
        let Delivery {
            stream,
            consumer,
            delivered,
            consumer_sequence,
            ..
        } = &delivery;
        let pending = self.queue.len();
        let reply = format!(
            "$JS.ACK.{stream}.{consumer}.{delivered}.{sequence}.{consumer_sequence}.{time}.\
             {pending}"
        );
        let message = Message {
            length: subject.len() + payload.len(),
            subject: subject.clone(),
            reply: Some(Subject::from(reply)),
            payload: payload.clone(),
            headers: headers.clone(),
            status: None,
            description: None,
        };
        let held = Held::new(Arc::clone(&self.bus), delivery);
        NatsMessage::JetStream(Box::new(JetStreamMessage::new(
            message,
            Settle::InProcess(held),
        )))
    }
}

impl Drop for StreamFeed {
    fn drop(&mut self) {
        self.bus
            .state()
            .streams
            .close(self.place, self.recorded.id());
        // What is queued goes back to the consumer, as a server gives it to another subscription.
        self.queue.close();
        while let Ok(delivery) = self.queue.try_recv() {
            drop(Held::new(Arc::clone(&self.bus), delivery));
        }
    }
}
