// RUN-385, RUN-386: a part that the app's state does not hold
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;

struct Ledger;

#[subscriber("parcels")]
async fn on_parcel(_id: &u64, State(_ledger): State<Ledger>) {}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(on_parcel);
}

fn main() {}
