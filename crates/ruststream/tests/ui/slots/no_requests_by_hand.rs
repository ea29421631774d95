// PUB-510, PUB 17, CORE-290, MAC 5.2: the same for a definition written by hand
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;

struct Forward;

impl<L: OutEntry<DefaultSlot, Wire: RequestReply>> Handle<u64, (), Outs<(L,)>> for Forward {
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
    b.include(subscriber("parcels", Forward).build())
        .out(DefaultSlot, Publish)
        .build();
}

fn main() {}
