// PUB-605, PUB 17, MAC 5.2: two naming transforms on one reply
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
async fn label(_id: &u64) -> Label {
    Label
}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(label)
        .out_reply(Publish)
        .transform(ToInbox)
        .transform(ToInbox);
}

fn main() {}
