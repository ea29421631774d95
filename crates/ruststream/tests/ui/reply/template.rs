// RUN-201, PUB-305, PUB 17: nothing binds the placeholders of a reply
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;
use serde::Serialize;

#[derive(Serialize, Outgoing)]
#[outgoing(name = "{depot}.labels")]
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
