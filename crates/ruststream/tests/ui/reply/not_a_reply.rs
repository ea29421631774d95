// RUN-475, RUN-200: a reply of neither wire, by hand
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;

struct Label;

struct Weigh;

impl Handle<u64, Label> for Weigh {
    async fn handle(
        &self,
        _id: &u64,
        _outs: &(),
        _ctx: &mut Context<'_>,
    ) -> Result<Label, HandlerOutcome> {
        Ok(Label)
    }
}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(subscriber("parcels", Weigh).reply().to("labels").build());
}

fn main() {}
