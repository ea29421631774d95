//! A transport with a journal, around the in-process broker.
//!
//! Its deliveries hold no delay and count no redeliveries, so the runtime makes the copies; they
//! carry a value; and its publishers take options. Each step can be refused.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::{fmt, vec};

use futures_util::{Stream, StreamExt};
use ruststream::memory::{
    ConnectedMemoryBroker, MemoryBroker, MemoryMessage, MemoryPublisher, MemorySubscriber,
};
use ruststream::prelude::*;
use ruststream::runtime::SoloCarried;
use ruststream::testing::{Coordinator, InProcess, TestableBroker};
use ruststream::{
    AckError, AddressedCopies, BatchSubscriber, Carries, CarriesBatch, ConnectedBroker,
    DefaultPublish, DescribeServer, Lend, OutgoingMessage, PairError, RawMessage, ServerSpec,
    Subscribe, Subscriber,
};

use super::Journal;

#[derive(Debug, thiserror::Error)]
#[error("the station refuses to {0}")]
pub(crate) struct Refused(pub(crate) String);

/// What a station shares with its test.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ground {
    pub(crate) journal: Journal,
    refused: Arc<Mutex<Vec<&'static str>>>,
    /// How often a carried value was cloned.
    pub(crate) clones: Arc<AtomicUsize>,
}

impl Ground {
    /// Fails every step whose line begins so, until [`allow`](Self::allow).
    pub(crate) fn refuse(&self, step: &'static str) -> &Self {
        self.refused.lock().unwrap().push(step);
        self
    }

    pub(crate) fn allow(&self) {
        self.refused.lock().unwrap().clear();
    }

    fn refuses(&self, line: &str) -> bool {
        let refused = self.refused.lock().unwrap();
        refused.iter().any(|step| line.starts_with(step))
    }

    fn step(&self, line: String) -> Result<(), Refused> {
        if self.refuses(&line) {
            return Err(Refused(line));
        }
        self.journal.note(line);
        Ok(())
    }
}

#[derive(Clone)]
pub(crate) struct Station {
    name: &'static str,
    bus: MemoryBroker,
    ground: Ground,
}

impl Station {
    pub(crate) fn new(name: &'static str, ground: &Ground) -> Self {
        Self {
            name,
            bus: MemoryBroker::new(),
            ground: ground.clone(),
        }
    }
}

impl Broker for Station {
    type Error = Refused;
    type Connected = ConnectedStation;

    async fn connect(self) -> Result<ConnectedStation, Refused> {
        self.ground.step(format!("connect {}", self.name))?;
        let bus = self.bus.connect().await.expect("never fails");
        Ok(ConnectedStation {
            name: self.name,
            bus,
            ground: self.ground,
        })
    }
}

impl DescribeServer for Station {
    fn describe_server(&self) -> ServerSpec {
        ServerSpec::in_process("station")
    }
}

impl InProcess for Station {
    async fn connect_in_process(self) -> Result<ConnectedStation, Refused> {
        self.connect().await
    }
}

ruststream::register_testable_broker!(Station);

pub(crate) struct ConnectedStation {
    name: &'static str,
    bus: ConnectedMemoryBroker,
    ground: Ground,
}

impl ConnectedStation {
    pub(crate) fn name(&self) -> &'static str {
        self.name
    }
}

impl ConnectedBroker for ConnectedStation {
    type Error = Refused;
    type Closed = ();

    async fn shutdown(self) -> Result<(), Refused> {
        self.ground.step(format!("shutdown {}", self.name))?;
        self.bus.shutdown().await.expect("never fails");
        Ok(())
    }
}

impl TestableBroker for ConnectedStation {
    fn install_coordinator(&self, coordinator: Coordinator) {
        self.ground.journal.note(format!("install {}", self.name));
        self.bus.install_coordinator(coordinator);
    }

    fn inject(&self, message: OutgoingMessage<'_>) {
        self.bus.inject(message);
    }

    fn published(&self, name: &str) -> Vec<RawMessage> {
        self.bus.published(name)
    }
}

impl Subscribe for ConnectedStation {
    type Subscriber = Track;
    type Copies = AddressedCopies;

    async fn subscribe(&self, name: &str) -> Result<Track, Refused> {
        self.ground.step(format!("subscribe {name}"))?;
        let track = Subscribe::subscribe(&self.bus, name).await;
        Ok(Track {
            track: track.expect("opens"),
            ground: self.ground.clone(),
        })
    }
}

pub(crate) struct Track {
    track: MemorySubscriber,
    ground: Ground,
}

impl Subscriber for Track {
    type Message = Wagon;
    type Error = Refused;

    fn stream(&mut self) -> impl Stream<Item = Result<Wagon, Refused>> + Send + '_ {
        let ground = self.ground.clone();
        self.track.stream().map(move |message| {
            let Ok(message) = message;
            // A transport's own defect: it takes its loop with it.
            assert!(!ground.refuses("hand over"), "derailed");
            Ok(Wagon::of(message, &ground))
        })
    }
}

impl BatchSubscriber for Track {
    type Batch = Train;

    fn batches(
        &mut self,
        size: NonZeroUsize,
    ) -> impl Stream<Item = Result<Train, Refused>> + Send + '_ {
        let ground = self.ground.clone();
        self.track.batches(size).map(move |batch| {
            let Ok(batch) = batch;
            let wagons: Vec<_> = batch
                .into_iter()
                .map(|one| Wagon::of(one, &ground))
                .collect();
            let freight = wagons
                .iter()
                .map(|wagon| wagon.freight.new_copy())
                .collect();
            Ok(Train { wagons, freight })
        })
    }
}

/// A delivery.
pub(crate) struct Wagon {
    message: MemoryMessage,
    ground: Ground,
    freight: Freight,
}

impl Wagon {
    fn of(message: MemoryMessage, ground: &Ground) -> Self {
        let freight = Freight {
            size: message.payload().len(),
            clones: Arc::clone(&ground.clones),
        };
        Self {
            message,
            ground: ground.clone(),
            freight,
        }
    }
}

impl IncomingMessage for Wagon {
    fn payload(&self) -> &[u8] {
        self.message.payload()
    }

    fn headers(&self) -> &HeaderMap {
        self.message.headers()
    }

    async fn ack(self) -> Result<(), AckError> {
        self.ground.journal.note("ack");
        self.message.ack().await
    }

    async fn nack(self, requeue: bool) -> Result<(), AckError> {
        self.ground.journal.note(format!("nack {requeue}"));
        self.message.nack(requeue).await
    }
}

/// A batch, with its values side by side.
pub(crate) struct Train {
    wagons: Vec<Wagon>,
    freight: Vec<Freight>,
}

impl IntoIterator for Train {
    type Item = Wagon;
    type IntoIter = vec::IntoIter<Wagon>;

    fn into_iter(self) -> Self::IntoIter {
        self.wagons.into_iter()
    }
}

/// The value that a delivery carries: the size of its payload.
pub(crate) struct Freight {
    pub(crate) size: usize,
    clones: Arc<AtomicUsize>,
}

impl Freight {
    pub(crate) fn of(size: usize) -> Self {
        Self {
            size,
            clones: Arc::default(),
        }
    }

    fn new_copy(&self) -> Self {
        Self {
            size: self.size,
            clones: Arc::clone(&self.clones),
        }
    }
}

impl Clone for Freight {
    fn clone(&self) -> Self {
        self.clones.fetch_add(1, Ordering::SeqCst);
        self.new_copy()
    }
}

impl fmt::Debug for Freight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Freight").field(&self.size).finish()
    }
}

impl PartialEq for Freight {
    fn eq(&self, other: &Self) -> bool {
        self.size == other.size
    }
}

impl Input for Freight {
    type Axis = SoloCarried<Self>;
}

impl Carries<Freight> for Wagon {
    fn carried(&self) -> Option<&Freight> {
        (self.freight.size > 0).then_some(&self.freight)
    }
}

impl CarriesBatch<Freight> for Train {
    fn carried(&self) -> &[Freight] {
        &self.freight
    }
}

/// The options of one message.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Urgency(pub(crate) u8);

/// Publishes with options.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Dispatch;

pub(crate) struct Dispatcher {
    publisher: MemoryPublisher,
    ground: Ground,
}

impl DefaultPublish for ConnectedStation {
    type Policy = Dispatch;
}

impl PublishPolicy<ConnectedStation> for Dispatch {
    type Live = Dispatcher;

    async fn pair(self, connected: &ConnectedStation) -> Result<Dispatcher, PairError> {
        Ok(Dispatcher {
            publisher: connected.bus.publisher(),
            ground: connected.ground.clone(),
        })
    }
}

impl Publisher for Dispatcher {
    type Payload = Lend;
    type Error = Refused;
    type Options = Urgency;

    async fn publish(
        &self,
        msg: OutgoingMessage<'_>,
        options: Option<&Urgency>,
    ) -> Result<(), Refused> {
        let urgency = options.map_or(0, |Urgency(urgency)| *urgency);
        self.ground
            .step(format!("publish {} urgency {urgency}", msg.name()))?;
        let (name, payload, mut headers) = msg.into_parts();
        // What a broker's own publisher adds is in its log and not in the record.
        headers.insert("station-stamp", "1");
        let message = OutgoingMessage::new(name, payload).with_headers(headers);
        self.publisher
            .publish(message, None)
            .await
            .expect("publishes");
        Ok(())
    }
}
