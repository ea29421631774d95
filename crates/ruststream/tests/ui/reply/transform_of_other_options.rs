// PUB-600, PUB 17, MAC 5.2: a transform that writes the options of another broker
use ruststream::memory::prelude::*;
use ruststream::runtime::{BrokerScope, Outgoing};
use serde::Serialize;

#[derive(Clone)]
struct Urgency;

struct Urgent;

impl<K: ContextKind> PublishTransform<K, Urgency> for Urgent {
    type Destination = Reads;
    fn apply(&self, _: &mut Outgoing<'_>, _: &mut Option<Urgency>, _: &K::View<'_>) {}
}

#[derive(Serialize, Outgoing)]
struct Label;

#[subscriber("parcels", reply("labels"))]
async fn label(_id: &u64) -> Label {
    Label
}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(label).out_reply(Publish).transform(Urgent);
}

fn main() {}
