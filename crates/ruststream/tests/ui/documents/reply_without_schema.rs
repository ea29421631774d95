// RUN-215, RUN-475, API-36: a documented reply without a schema
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
    b.include(subscriber("parcels", Weigh).reply().to("labels").build());
}

fn main() {}
