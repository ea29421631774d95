// PUB-305: a reply that leaves its destination open, and a mount that names none
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;
use serde::Serialize;

#[derive(Serialize, Outgoing)]
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
    b.include(subscriber("parcels", Weigh).reply().build());
}

fn main() {}
