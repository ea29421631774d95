// RUN-115, PUB-213, CORE-125: a reply on a broker without a default policy names its own
use ruststream::memory::prelude::*;
use serde::Serialize;

#[path = "../support.rs"]
mod support;

#[derive(Serialize, Outgoing)]
struct Label;

#[subscriber("parcels", reply("labels"))]
async fn label(_id: &u64) -> Label {
    Label
}

fn mount(b: &mut ruststream::runtime::BrokerScope<support::Elsewhere>) {
    b.include(label);
}

fn main() {}
