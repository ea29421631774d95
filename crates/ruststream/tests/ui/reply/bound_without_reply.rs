// PUB-400, RUN-475: `out_reply` on a handler that does not reply
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;

#[subscriber("parcels")]
async fn label(_id: &u64) -> HandlerOutcome {
    HandlerOutcome::ack()
}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(label).out_reply(Publish);
}

fn main() {}
