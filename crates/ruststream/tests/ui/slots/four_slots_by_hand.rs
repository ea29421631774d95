// RUN-211: a body has at most three slots
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;

struct Forward;

impl<A, B, C, D> Handle<u64, (), Outs<(A, B, C, D)>> for Forward
where
    A: OutEntry<DefaultSlot>,
    B: OutEntry<DefaultSlot>,
    C: OutEntry<DefaultSlot>,
    D: OutEntry<DefaultSlot>,
{
    async fn handle(
        &self,
        _id: &u64,
        _outs: &Outs<(A, B, C, D)>,
        _ctx: &mut Context<'_>,
    ) -> Result<(), HandlerOutcome> {
        Ok(())
    }
}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(subscriber("parcels", Forward).build())
        .out(DefaultSlot, Publish)
        .build();
}

fn main() {}
