// CORE-034: a bare name of a broker that moves spent deliveries itself is no address for copies
use ruststream_core::{BrokerMoves, Name, RedeliveryAddressed, Subscribe};

#[path = "../ui-support/depot.rs"]
mod depot;
use depot::{Depot, Queue};

impl Subscribe for Depot {
    type Subscriber = Queue;
    type Copies = BrokerMoves;

    async fn subscribe(&self, _: &str) -> Result<Queue, std::io::Error> {
        Ok(Queue)
    }
}

fn addressed<S: RedeliveryAddressed<Depot>>() {}

fn main() {
    addressed::<Name>();
}
