// CORE-051, CORE-054, CORE-055, CORE-302, CORE-290
use ruststream_core::{
    AddressedCopies, Name, RedeliveryAddressed, StartAt, SubscriptionSource, Unnamed,
};

#[path = "../ui-support/depot.rs"]
mod depot;
use depot::{Depot, Queue};

struct Unaddressed;

impl SubscriptionSource<Depot> for Unaddressed {
    type Subscriber = Queue;
    type Copies = AddressedCopies;

    fn name(&self) -> &str {
        "parcels"
    }

    async fn subscribe(self, _: &Depot) -> Result<Queue, std::io::Error> {
        Ok(Queue)
    }
}

fn mounts<S: SubscriptionSource<Depot>>() {}
fn retries<S: RedeliveryAddressed<Depot>>() {}

fn main() {
    mounts::<Unnamed<Name>>();
    mounts::<StartAt<Unaddressed, u64>>();
    retries::<Unaddressed>();
}
