// PUB-605, MAC 5.2: two naming transforms on the retry position
use ruststream::memory::prelude::*;
use ruststream::runtime::{BrokerScope, Outgoing};

#[path = "../support.rs"]
mod support;

struct ToInbox;

impl<K: ContextKind, Options> PublishTransform<K, Options> for ToInbox {
    type Destination = Names;
    fn apply(&self, _: &mut Outgoing<'_>, _: &mut Option<Options>, _: &K::View<'_>) {}
}

#[subscriber(support::Filter::new("parcels.*"))]
async fn on_parcel(_id: &u64) {}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(on_parcel)
        .out_retry(Publish)
        .transform(ToInbox)
        .transform(ToInbox);
}

fn main() {}
