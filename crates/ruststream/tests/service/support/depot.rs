//! A service with a state, for what bodies read beside their message.

use ruststream::prelude::*;
use ruststream::runtime::{BrokerScope, Identity};

use super::journal::Journal;
use super::queue::{Letter, Transport};
use super::service_with;
use super::yard::Yard;

#[derive(FromRef)]
pub(crate) struct Depot {
    pub(crate) journal: Journal,
    pub(crate) city: City,
    #[from_ref(skip)]
    pub(crate) opened: u32,
}

#[derive(Clone)]
pub(crate) struct City(pub(crate) &'static str);

pub(crate) type DepotScope = BrokerScope<Yard, Identity, (), Depot>;

pub(crate) async fn run_depot(
    letters: Vec<Letter>,
    mount: impl FnOnce(&mut DepotScope),
) -> (Yard, Vec<String>) {
    let yard = Yard::new(Transport::PLAIN);
    let count = letters.len();
    for letter in letters {
        yard.send("parcels", letter);
    }
    let state = Depot {
        journal: yard.journal().clone(),
        city: City("Bern"),
        opened: 1848,
    };
    let app = service_with(state).with_broker(yard.clone(), mount);
    let running = app.start().await.expect("starts");
    let settled = |line: &&String| line.starts_with("ack") || line.starts_with("drop");
    yard.journal()
        .until(|lines| lines.iter().filter(settled).count() == count)
        .await;
    running.shutdown().await.expect("stops");
    let mut told = yard.journal().take();
    let around = ["connect", "pair", "open ", "close", "shutdown"];
    told.retain(|line| !around.iter().any(|start| line.starts_with(start)));
    (yard, told)
}
