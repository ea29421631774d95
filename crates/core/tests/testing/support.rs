//! A broker with a log, in two flavours, and a transport that is registered by its connected form.

use std::sync::{Arc, Mutex};

use ruststream_core::testing::{Coordinator, InProcess, TestableBroker};
use ruststream_core::{
    Broker, ConnectedBroker, DefaultPublish, HeaderMap, Lend, OutgoingMessage, PairError,
    PublishPolicy, Publisher, RawMessage,
};

#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Refused(pub(crate) &'static str);

pub(crate) type Log = Arc<Mutex<Vec<RawMessage>>>;

fn append(log: &Log, message: OutgoingMessage<'_>) {
    let (name, payload, headers) = message.into_parts();
    let message = RawMessage::new(name.to_owned(), payload.to_vec()).with_headers(headers);
    log.lock().unwrap().push(message);
}

fn under(log: &Log, name: &str) -> Vec<RawMessage> {
    let log = log.lock().unwrap();
    log.iter().filter(|m| m.name() == name).cloned().collect()
}

/// Registered as a broker.
#[derive(Debug)]
pub(crate) struct Depot {
    pub(crate) url: &'static str,
}

#[derive(Debug, Default)]
pub(crate) struct ConnectedDepot {
    pub(crate) log: Log,
}

impl Broker for Depot {
    type Error = Refused;
    type Connected = ConnectedDepot;

    async fn connect(self) -> Result<ConnectedDepot, Refused> {
        Err(Refused("no server here"))
    }
}

impl InProcess for Depot {
    async fn connect_in_process(self) -> Result<ConnectedDepot, Refused> {
        if self.url.is_empty() {
            return Err(Refused("no url"));
        }
        Ok(ConnectedDepot::default())
    }
}

impl ConnectedBroker for ConnectedDepot {
    type Error = Refused;
    type Closed = ();

    async fn shutdown(self) -> Result<(), Refused> {
        Ok(())
    }
}

impl DefaultPublish for ConnectedDepot {
    type Policy = DepotPublish;
}

#[derive(Debug, Default)]
pub(crate) struct DepotPublish;

#[derive(Debug)]
pub(crate) struct DepotPublisher {
    log: Log,
    base: HeaderMap,
}

impl PublishPolicy<ConnectedDepot> for DepotPublish {
    type Live = DepotPublisher;

    async fn pair(self, connected: &ConnectedDepot) -> Result<DepotPublisher, PairError> {
        Ok(DepotPublisher {
            log: Arc::clone(&connected.log),
            base: HeaderMap::from_iter([("tenant", "north"), ("lane", "slow")]),
        })
    }
}

impl Publisher for DepotPublisher {
    type Payload = Lend;
    type Error = Refused;
    type Options = ();

    async fn publish(&self, msg: OutgoingMessage<'_>, _: Option<&()>) -> Result<(), Refused> {
        if msg.name() == "closed" {
            return Err(Refused("closed"));
        }
        append(&self.log, msg);
        Ok(())
    }

    fn base_headers(&self) -> Option<&HeaderMap> {
        Some(&self.base)
    }
}

impl TestableBroker for ConnectedDepot {
    fn install_coordinator(&self, _: Coordinator) {}

    fn inject(&self, message: OutgoingMessage<'_>) {
        append(&self.log, message);
    }

    fn published(&self, name: &str) -> Vec<RawMessage> {
        under(&self.log, name)
    }
}

ruststream_core::register_testable_broker!(Depot);

/// Registered by its connected form.
#[derive(Debug)]
pub(crate) struct Tube;

#[derive(Debug, Default)]
pub(crate) struct ConnectedTube {
    log: Log,
}

impl Broker for Tube {
    type Error = Refused;
    type Connected = ConnectedTube;

    async fn connect(self) -> Result<ConnectedTube, Refused> {
        Ok(ConnectedTube::default())
    }
}

impl ConnectedBroker for ConnectedTube {
    type Error = Refused;
    type Closed = ();

    async fn shutdown(self) -> Result<(), Refused> {
        Ok(())
    }
}

impl TestableBroker for ConnectedTube {
    fn install_coordinator(&self, _: Coordinator) {}

    fn inject(&self, message: OutgoingMessage<'_>) {
        append(&self.log, message);
    }

    fn published(&self, name: &str) -> Vec<RawMessage> {
        under(&self.log, name)
    }
}

ruststream_core::register_testable_broker!(ConnectedTube);
