// PUB-402: the codec of the retry position is named once
use ruststream::codec::JsonCodec;
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;

#[subscriber("parcels")]
async fn on_parcel(_id: &u64) {}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(on_parcel)
        .out_retry(Publish)
        .codec(JsonCodec)
        .codec(JsonCodec);
}

fn main() {}
