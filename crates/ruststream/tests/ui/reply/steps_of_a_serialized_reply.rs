// PUB-313: a reply of its own bytes has no codec, no transforms and no transaction
use ruststream::codec::JsonCodec;
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;

#[derive(Serialized, Outgoing)]
struct Label(Vec<u8>);

struct Stamp;

#[subscriber("parcels", reply("labels"))]
async fn label(_id: &u64) -> Label {
    Label(Vec::new())
}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(label).out_reply(Publish).codec(JsonCodec);
    b.include(label).out_reply(Publish).transform(Stamp);
    b.include(label).out_reply(Publish).transactional();
}

fn main() {}
