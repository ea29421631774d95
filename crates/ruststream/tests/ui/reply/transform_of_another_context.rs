// PUB-600: a transform that reads the context of another body
use ruststream::memory::prelude::*;
use ruststream::runtime::{BrokerScope, Outgoing, PublishContext};
use serde::Serialize;

struct Stamp;

impl<Options> PublishTransform<ForReply<MemoryContext>, Options> for Stamp {
    type Destination = Reads;
    fn apply(
        &self,
        _: &mut Outgoing<'_>,
        _: &mut Option<Options>,
        _: &PublishContext<'_, MemoryContext>,
    ) {
    }
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
