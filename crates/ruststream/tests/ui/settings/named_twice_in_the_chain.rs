// RUN-154, RUN-475: `.name(..)` after `.name(..)`
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;

#[subscriber]
async fn on_parcel(_id: &u64) {}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(on_parcel.name("parcels").name("letters"));
}

fn main() {}
