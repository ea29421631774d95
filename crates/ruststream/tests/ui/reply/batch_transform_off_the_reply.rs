// RUN-475, PUB-401, PUB 17, MAC 5.2: `batch_transform` before any position and on the retry position
use ruststream::memory::prelude::*;
use ruststream::runtime::{BatchPublishTransform, BrokerScope, Outgoing, PublishContext};
use serde::Serialize;

struct Stamp;

impl<C, Options> BatchPublishTransform<C, Options> for Stamp {
    fn apply(&self, _: &mut Outgoing<'_>, _: &mut Option<Options>, _: &PublishContext<'_, C>) {}
}

#[derive(Serialize, Outgoing)]
struct Label;

#[subscriber("parcels", reply("labels"))]
async fn label(_id: &u64) -> Label {
    Label
}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(label).batch_transform(Stamp);
    b.include(label).out_retry(Publish).batch_transform(Stamp);
}

fn main() {}
