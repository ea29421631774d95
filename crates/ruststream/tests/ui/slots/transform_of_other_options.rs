// PUB-600, PUB 17, MAC 5.2: a transform that writes the options of another broker
use ruststream::memory::prelude::*;
use ruststream::runtime::{BrokerScope, Outgoing};

#[derive(Clone)]
struct Urgency;

struct Urgent;

impl<K: ContextKind> PublishTransform<K, Urgency> for Urgent {
    type Destination = Reads;
    fn apply(&self, _: &mut Outgoing<'_>, _: &mut Option<Urgency>, _: &K::View<'_>) {}
}

#[subscriber("parcels")]
async fn forward(_id: &u64, Out(_out): Out<impl Publisher>) {}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(forward)
        .out(DefaultSlot, Publish)
        .transform(Urgent)
        .build();
}

fn main() {}
