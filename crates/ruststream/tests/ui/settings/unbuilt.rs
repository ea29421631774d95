// RUN-182: a hand-written definition mounted before `.build()`, in a scope and on a router
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;

struct OnParcel;

impl Handle<u64> for OnParcel {
    async fn handle(
        &self,
        _id: &u64,
        _outs: &(),
        _ctx: &mut Context<'_>,
    ) -> Result<(), HandlerOutcome> {
        Ok(())
    }
}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(subscriber("parcels", OnParcel).workers(nonzero!(2)));
}

fn route() {
    let _ = Router::<MemoryBroker>::new().include(subscriber("parcels", OnParcel));
}

fn main() {}
