// PUB-134, PUB-315: a reply that must encode and no codec
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;
use serde::Serialize;

#[derive(Serialize, Outgoing)]
struct Label;

#[derive(Deserialized)]
struct Raw<'a>(&'a [u8]);

#[subscriber("parcels", reply("labels"))]
async fn label(_raw: &Raw<'_>) -> Label {
    Label
}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(label);
}

fn main() {}
