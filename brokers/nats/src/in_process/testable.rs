//! The harness's side of the broker.

use std::collections::HashSet;
use std::sync::Arc;

use bytes::Bytes;
use ruststream::testing::{Backlog, Coordinator, InProcess, TestableBroker};
use ruststream::{OutgoingMessage, RawMessage};
use tokio::runtime::Handle;

use super::bus::{Bus, Origin, ensure_size};
use super::options::Honoured;
use crate::broker::NatsBroker;
use crate::connected::ConnectedNatsBroker;
use crate::error::NatsError;
use crate::link::Link;
use crate::message::headers::outbound;
use crate::publish::frame;

ruststream::register_testable_broker!(NatsBroker);

impl InProcess for NatsBroker {
    /// Connects to a bus of its own; nothing is dialled.
    ///
    /// # Errors
    ///
    /// [`NatsError::Connect`] for the addresses that `connect` refuses, and outside a Tokio runtime.
    async fn connect_in_process(self) -> Result<ConnectedNatsBroker, NatsError> {
        let dial = self.into_dial()?;
        let runtime = Handle::try_current().map_err(NatsError::connect)?;
        let bus = Bus::new(Honoured::of(&dial.options)?, runtime);
        Ok(ConnectedNatsBroker::new(Link::InProcess(Arc::new(bus))))
    }
}

impl ConnectedNatsBroker {
    /// # Panics
    ///
    /// On a live connection.
    fn bus(&self) -> &Bus {
        match self.link() {
            Link::InProcess(bus) => bus,
            Link::Live(_) => panic!("this nats broker is connected to a server, not in process"),
        }
    }
}

impl TestableBroker for ConnectedNatsBroker {
    fn install_coordinator(&self, coordinator: Coordinator) {
        let _installed_before = self.bus().coordinator.set(coordinator);
    }

    /// # Panics
    ///
    /// On a message that the server would refuse, and after shutdown.
    fn inject(&self, message: OutgoingMessage<'_>) {
        let bus = self.bus();
        let (name, payload, headers) = message.into_parts();
        let taken = bus.ensure_open(name).and_then(|()| {
            let frame = frame(name, Bytes::copy_from_slice(payload), outbound(&headers)?)?;
            ensure_size(&frame)?;
            bus.take(&mut bus.state(), &frame, Origin::External);
            Ok(())
        });
        if let Err(error) = taken {
            panic!("the message that was injected for `{name}` is none that nats takes: {error}");
        }
    }

    fn published(&self, name: &str) -> Vec<RawMessage> {
        self.bus()
            .state()
            .log
            .get(name)
            .cloned()
            .unwrap_or_default()
    }

    fn routes(&self, destination: &str, subscriptions: &[&str]) -> Vec<usize> {
        let (openings, reached) = match self.link() {
            Link::InProcess(bus) if bus.is_closed() => (&bus.openings, HashSet::new()),
            Link::InProcess(bus) => (&bus.openings, bus.reached(destination)),
            Link::Live(connection) => (
                &connection.openings,
                connection.openings.reached(destination),
            ),
        };
        openings.positions(destination, subscriptions, &reached)
    }

    fn backlog(&self) -> Backlog {
        Backlog::Missed
    }
}
