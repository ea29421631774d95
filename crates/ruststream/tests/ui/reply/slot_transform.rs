// PUB-600, PUB 17: a transform of slots on a reply
use ruststream::memory::prelude::*;
use ruststream::runtime::{BrokerScope, Outgoing, SlotContext};
use serde::Serialize;

struct Stamp;

impl<Options> PublishTransform<ForSlot, Options> for Stamp {
    type Destination = Reads;
    fn apply(&self, _: &mut Outgoing<'_>, _: &mut Option<Options>, _: &SlotContext<'_>) {}
}

#[derive(Serialize, Outgoing)]
struct Label;

#[subscriber("parcels", reply("labels"))]
async fn label(_id: &u64) -> Label {
    Label
}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(label).out_reply(Publish).transform(Stamp);
}

fn main() {}
