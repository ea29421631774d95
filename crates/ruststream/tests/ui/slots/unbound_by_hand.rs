// RUN-475, RUN-184, PUB-404: the same for a definition written by hand
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;

#[derive(OutSlot)]
struct Audit;

struct Forward;

impl<L: OutEntry<Audit>> Handle<u64, (), Outs<(L,)>> for Forward {
    async fn handle(
        &self,
        _id: &u64,
        _outs: &Outs<(L,)>,
        _ctx: &mut Context<'_>,
    ) -> Result<(), HandlerOutcome> {
        Ok(())
    }
}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(subscriber("parcels", Forward).build()).build();
}

fn main() {}
