//! The in-process mode: the crate's own server, at the other end of a pipe in memory.
//!
//! NOTE: each connection has a server of its own. That two brokers with one address meet in its
//! queues shows on a server only; see `brokers_with_one_address_meet_on_the_server_only`.

use std::sync::{Arc, Mutex, MutexGuard};

use ruststream::testing::{Backlog, Coordinator, InProcess, TestableBroker};
use ruststream::{OutgoingMessage, RawMessage, register_testable_broker};

use crate::shelf::Shelf;
use crate::sync::lock;
use crate::wire::{self, Letter};
use crate::{ConnectedToy, ToyBroker, ToyError, link::Link, server};

register_testable_broker!(ToyBroker);

impl InProcess for ToyBroker {
    async fn connect_in_process(self) -> Result<ConnectedToy, ToyError> {
        self.check()?;
        let (here, there) = tokio::io::duplex(64 * 1024);
        let shelf = Arc::<Mutex<Shelf>>::default();
        tokio::spawn(server::serve(there, Arc::clone(&shelf)));
        Ok(ConnectedToy {
            shelf: Some(shelf),
            link: Link::over(here),
        })
    }
}

impl TestableBroker for ConnectedToy {
    fn install_coordinator(&self, coordinator: Coordinator) {
        self.shelf().watch.coordinator.get_or_insert(coordinator);
    }

    fn inject(&self, message: OutgoingMessage<'_>) {
        let letter = wire::letter(message.payload(), message.headers());
        self.shelf().publish(&wire::word(message.name()), &letter);
    }

    fn published(&self, name: &str) -> Vec<RawMessage> {
        let queue = wire::word(name);
        let shelf = self.shelf();
        let letters = shelf.watch.log.iter().filter(|(of, _)| *of == queue);
        let raw = |Letter { payload, headers }| {
            RawMessage::new(name.to_owned(), payload).with_headers(headers)
        };
        letters
            .filter_map(|(_, letter)| Letter::read(letter).map(raw))
            .collect()
    }

    fn backlog(&self) -> Backlog {
        Backlog::Delivered
    }
}

impl ConnectedToy {
    fn shelf(&self) -> MutexGuard<'_, Shelf> {
        lock(self.shelf.as_ref().expect("connected in process"))
    }
}

/// What a test sees of the server: every publish, and how many deliveries are out.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    coordinator: Option<Coordinator>,
    log: Vec<(String, String)>,
}

impl Watch {
    pub(crate) fn log(&mut self, queue: &str, letter: &str) {
        self.log.push((queue.to_owned(), letter.to_owned()));
    }

    pub(crate) fn count(&self) -> Option<Counted> {
        let coordinator = self.coordinator.clone()?;
        coordinator.enqueued();
        Some(Counted(coordinator))
    }
}

/// One delivery that is out.
#[derive(Debug)]
pub(crate) struct Counted(Coordinator);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.consumed();
    }
}
