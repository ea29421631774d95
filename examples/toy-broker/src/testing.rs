//! The in-process mode: the crate's own server, at the other end of a pipe in memory.
//!
//! NOTE: each connection has a server of its own. That two brokers with one address meet on it
//! shows on a server only; see `brokers_with_one_address_meet_on_the_server_only`.

use std::num::NonZeroUsize;

use ruststream::memory::{MemoryBroker, Retention};
use ruststream::testing::{Coordinator, InProcess, TestableBroker};
use ruststream::{Broker, OutgoingMessage, RawMessage, register_testable_broker};

use crate::{ConnectedToy, ToyBroker, ToyError, link::Link, server};

register_testable_broker!(ToyBroker);

impl InProcess for ToyBroker {
    async fn connect_in_process(self) -> Result<ConnectedToy, ToyError> {
        let (here, there) = tokio::io::duplex(64 * 1024);
        let bus = MemoryBroker::retaining(Retention::Messages(NonZeroUsize::MAX));
        let bus = bus.connect().await.expect("it is always there");
        tokio::spawn(server::serve(bus.clone(), there));
        let link = Link::over(here);
        link.bus.get_or_init(|| bus);
        Ok(ConnectedToy(link))
    }
}

impl TestableBroker for ConnectedToy {
    fn install_coordinator(&self, coordinator: Coordinator) {
        self.bus().install_coordinator(coordinator);
    }

    fn inject(&self, message: OutgoingMessage<'_>) {
        self.bus().inject(message);
    }

    fn published(&self, name: &str) -> Vec<RawMessage> {
        self.bus().published(name)
    }
}

impl ConnectedToy {
    fn bus(&self) -> &server::Bus {
        self.0.bus.get().expect("connected in process")
    }
}
