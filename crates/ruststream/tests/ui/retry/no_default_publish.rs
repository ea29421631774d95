// CORE-302, PUB-213, CORE-125, MAC 5.2: copies on a broker whose publisher nobody names
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;
use support::{Elsewhere, Filter};

#[path = "../support.rs"]
mod support;

#[subscriber("parcels")]
async fn addressed(_id: &u64) {}

#[subscriber(Filter::new("parcels.*"))]
async fn named(_id: &u64) {}

fn mount(b: &mut BrokerScope<Elsewhere>) {
    b.include(addressed);
    b.include(named);
}

fn main() {}
