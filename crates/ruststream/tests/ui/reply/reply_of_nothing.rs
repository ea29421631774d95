// RUN-182: `.reply()` on a body that answers nothing
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;

struct Weigh;

impl Handle<u64> for Weigh {
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
    b.include(subscriber("parcels", Weigh).reply().to("labels").build());
}

fn main() {}
