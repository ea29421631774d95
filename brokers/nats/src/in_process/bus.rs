//! The bus of one connected broker.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use async_nats::jetstream::context::PublishErrorKind as StreamRefusal;
use async_nats::jetstream::publish::PublishAck;
use async_nats::message::OutboundMessage;
use async_nats::{HeaderMap as ClientHeaders, Message, PublishError, PublishErrorKind, Subject};
use bytes::Bytes;
use ruststream::testing::Coordinator;
use ruststream::{HeaderMap, RawMessage, Str};
use serde_json::json;
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use super::core::{CoreFeed, Subscriptions};
use super::options::Honoured;
use super::streams::{Delivery, Place, Stored, StreamFeed, Streams};
use super::ticket::Ticket;
use crate::connection::Totals;
use crate::error::NatsError;
use crate::message::headers::{inbound, outbound};
use crate::openings::Openings;
use crate::publish::frame;
use crate::source::{CoreOpening, JetStreamSubject};

/// What a server announces by default.
const MAX_PAYLOAD: usize = 1024 * 1024;

/// NATS-G7: it has no server to lose. No test here sees a reconnect. Live: `restarts.rs`.
pub(crate) struct Bus {
    pub(super) honoured: Honoured,
    runtime: Handle,
    closed: AtomicBool,
    state: Mutex<State>,
    pub(super) coordinator: OnceLock<Coordinator>,
    pub(crate) openings: Openings,
}

#[derive(Default)]
pub(super) struct State {
    pub(super) core: Subscriptions,
    pub(super) streams: Streams,
    pub(super) log: HashMap<String, Vec<RawMessage>>,
    pub(super) inboxes: HashMap<String, oneshot::Sender<Message>>,
    made_up: u64,
    totals: Totals,
}

impl State {
    fn keep_in_log(&mut self, frame: &OutboundMessage) {
        let headers = frame.headers.as_ref().map_or_else(HeaderMap::new, inbound);
        let raw = RawMessage::new(Str::from(frame.subject.as_str()), frame.payload.clone());
        let of_the_subject = self.log.entry(frame.subject.to_string()).or_default();
        of_the_subject.push(raw.with_headers(headers));
    }
}

/// Who publishes: with `no_echo` a connection does not hear itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    Own,
    External,
}

/// What became of a publish.
pub(super) struct Taken {
    /// How many Core subscriptions got it.
    pub(super) heard: u64,
    pub(super) stored: Option<PublishAck>,
}

impl Bus {
    pub(super) fn new(honoured: Honoured, runtime: Handle) -> Self {
        Self {
            honoured,
            runtime,
            closed: AtomicBool::new(false),
            state: Mutex::default(),
            coordinator: OnceLock::new(),
            openings: Openings::default(),
        }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    pub(crate) fn ensure_open(&self, subject: &str) -> Result<(), NatsError> {
        if self.is_closed() {
            return Err(NatsError::closed(subject));
        }
        Ok(())
    }

    pub(super) fn ticket(&self) -> Ticket {
        Ticket::queued(self.coordinator.get())
    }

    pub(crate) fn open_core(
        self: &Arc<Self>,
        opening: &CoreOpening,
    ) -> Result<CoreFeed, NatsError> {
        let mut state = self.state();
        self.ensure_open(&opening.subject)?;
        let recorded = self.openings.core(opening);
        let group = opening.group.as_deref();
        let queue = state.core.open(recorded.id(), &opening.subject, group);
        Ok(CoreFeed::new(Arc::clone(self), recorded, queue))
    }

    pub(crate) fn open_stream(
        self: &Arc<Self>,
        source: &JetStreamSubject,
    ) -> Result<StreamFeed, NatsError> {
        source.ensure_names()?;
        let mut state = self.state();
        self.ensure_open(source.filter())?;
        let recorded = self.openings.stream(source);
        let (place, queue) = state.streams.open(recorded.id(), source, || self.ticket());
        Ok(StreamFeed::new(Arc::clone(self), recorded, place, queue))
    }

    /// A Core publish of this connection.
    pub(crate) fn publish(
        &self,
        subject: &str,
        payload: Bytes,
        headers: &HeaderMap,
    ) -> Result<(), NatsError> {
        self.ensure_open(subject)?;
        let frame = frame(subject, payload, outbound(headers)?)?;
        ensure_size(&frame)?;
        let mut state = self.state();
        // Once more under the lock: what is counted as taken is delivered, also beside a shutdown.
        self.ensure_open(subject)?;
        self.take(&mut state, &frame, Origin::Own);
        Ok(())
    }

    /// A publish to a stream, which answers.
    pub(crate) fn store(
        &self,
        mut frame: OutboundMessage,
        expected: Option<&str>,
    ) -> Result<PublishAck, NatsError> {
        ensure_size(&frame)?;
        let mut state = self.state();
        self.ensure_open(&frame.subject)?;
        let storing = match expected {
            Some(expected) => Some(
                state
                    .streams
                    .expected(expected, &frame.subject)
                    .ok_or_else(another_stream)?,
            ),
            None => state.streams.storing(&frame.subject),
        };
        let Some(storing) = storing else {
            return Err(NatsError::unanswered_by_stream(
                StreamRefusal::StreamNotFound,
            ));
        };
        // Core subscriptions hear it as well, with the inbox of the acknowledgement as its reply.
        frame.reply = Some(Subject::from(self.made_up_inbox(&mut state)));
        state.keep_in_log(&frame);
        state.totals.sent += 1;
        self.deliver(&mut state, &frame, Origin::Own);
        Ok(self.keep(&mut state, storing, &frame))
    }

    /// Takes a valid frame: logs it, delivers it, stores it.
    pub(super) fn take(&self, state: &mut State, frame: &OutboundMessage, from: Origin) -> Taken {
        state.keep_in_log(frame);
        if from == Origin::Own {
            state.totals.sent += 1;
        }
        if self.echoes(from)
            && let Some(inbox) = state.inboxes.remove(frame.subject.as_str())
        {
            let _gone = inbox.send(message(frame));
        }
        let heard = self.deliver(state, frame, from);
        let storing = state.streams.storing(&frame.subject);
        let stored = storing.map(|storing| self.keep(state, storing, frame));
        Taken { heard, stored }
    }

    /// Whether this connection hears what comes from there.
    fn echoes(&self, from: Origin) -> bool {
        from == Origin::External || !self.honoured.no_echo
    }

    fn deliver(&self, state: &mut State, frame: &OutboundMessage, from: Origin) -> u64 {
        if !self.echoes(from) {
            return 0;
        }
        let handed = state.core.deliver(&message(frame), || self.ticket());
        state.totals.received += handed;
        handed
    }

    fn keep(&self, state: &mut State, stream: usize, frame: &OutboundMessage) -> PublishAck {
        let (stream, sequence, handed) = state.streams.store(stream, frame, || self.ticket());
        state.totals.received += handed;
        PublishAck {
            stream,
            sequence,
            ..PublishAck::default()
        }
    }

    /// Which subscriptions the next publish of this connection reaches.
    pub(super) fn reached(&self, subject: &str) -> HashSet<u64> {
        let state = self.state();
        let mut reached = state.streams.reached(subject);
        if !self.honoured.no_echo {
            reached.extend(state.core.reached(subject));
        }
        reached
    }

    pub(super) fn made_up_inbox(&self, state: &mut State) -> String {
        state.made_up += 1;
        format!("{}.{}", self.honoured.inbox_prefix, state.made_up)
    }

    /// Delivers again at once; counted before the delivery that it comes from is released.
    pub(super) fn again(&self, delivery: &Delivery) {
        let stored = Arc::clone(&delivery.stored);
        self.redeliver(delivery.place, stored, delivery.delivered + 1);
    }

    pub(super) fn redeliver(&self, place: Place, stored: Arc<Stored>, delivered: u64) {
        let mut state = self.state();
        if !self.is_closed() {
            state.totals.received += 1;
            state
                .streams
                .hand_over(place, stored, delivered, || self.ticket());
        }
    }

    /// Runs `redeliver` after `delay`, on the harness's clock if there is one.
    pub(super) fn later(&self, delay: Duration, redeliver: impl FnOnce() + Send + 'static) {
        let _entered = self.runtime.enter();
        if let Some(coordinator) = self.coordinator.get() {
            coordinator.schedule_redelivery(delay, redeliver);
        } else {
            tokio::spawn(async move {
                tokio::time::sleep(delay).await;
                redeliver();
            });
        }
    }

    pub(crate) fn shut_down(&self) -> Totals {
        let mut state = self.state();
        self.closed.store(true, Ordering::Release);
        state.core.close_all();
        state.streams.close_all();
        state.inboxes.clear();
        Totals {
            connects: 1,
            ..state.totals
        }
    }
}

pub(super) fn message(frame: &OutboundMessage) -> Message {
    Message {
        subject: frame.subject.clone(),
        reply: frame.reply.clone(),
        payload: frame.payload.clone(),
        headers: frame.headers.clone(),
        status: None,
        description: None,
        length: frame.subject.len() + frame.payload.len(),
    }
}

/// The server's limit, as the client checks it.
pub(super) fn ensure_size(frame: &OutboundMessage) -> Result<(), NatsError> {
    let headers = frame.headers.as_ref().filter(|headers| !headers.is_empty());
    let size = frame.payload.len() + headers.map_or(0, encoded_len);
    if size <= MAX_PAYLOAD {
        return Ok(());
    }
    Err(NatsError::publish(PublishError::with_source(
        PublishErrorKind::MaxPayloadExceeded,
        format!("Payload size limit of {MAX_PAYLOAD} exceeded by message size of {size}"),
    )))
}

fn encoded_len(headers: &ClientHeaders) -> usize {
    let lines = headers.iter().flat_map(|(name, values)| {
        let name: &str = name.as_ref();
        values
            .iter()
            .map(move |value| name.len() + value.as_str().len() + ": \r\n".len())
    });
    "NATS/1.0\r\n\r\n".len() + lines.sum::<usize>()
}

/// What a stream answers to a publish that expects another.
fn another_stream() -> NatsError {
    let refusal = json!({
        "code": 400,
        "err_code": 10060,
        "description": "expected stream does not match",
    });
    match serde_json::from_value(refusal) {
        Ok(refusal) => NatsError::refused_by_stream(refusal),
        Err(error) => NatsError::jetstream(error),
    }
}
