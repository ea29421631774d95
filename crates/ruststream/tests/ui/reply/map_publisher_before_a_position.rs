// PUB-401, PUB-405, PUB 17: `map_publisher` before any position
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;
use serde::Serialize;

#[derive(Serialize, Outgoing)]
struct Label;

#[subscriber("parcels", reply("labels"))]
async fn label(_id: &u64) -> Label {
    Label
}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(label).map_publisher(|policy| policy);
}

fn main() {}
