// PUB-605, PUB 17, MAC 5.2: a naming transform on the replies of a batch
use ruststream::memory::prelude::*;
use ruststream::runtime::{BrokerScope, Outgoing};
use serde::Serialize;

struct ToInbox;

impl<K: ContextKind, Options> PublishTransform<K, Options> for ToInbox {
    type Destination = Names;
    fn apply(&self, _: &mut Outgoing<'_>, _: &mut Option<Options>, _: &K::View<'_>) {}
}

#[derive(Serialize, Outgoing)]
struct Label;

#[subscriber("parcels", reply("labels"))]
async fn label(ids: &[u64]) -> Vec<Label> {
    ids.iter().map(|_| Label).collect()
}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(label.batch(nonzero!(8)))
        .out_reply(Publish)
        .transform(ToInbox);
}

fn main() {}
