// PUB-509: transforms ride publishers; this live value is none
use ruststream::PairError;
use ruststream::memory::ConnectedMemoryBroker;
use ruststream::memory::prelude::*;
use ruststream::runtime::{BrokerScope, Outgoing};

struct Lanes;

impl PublishPolicy<ConnectedMemoryBroker> for Lanes {
    type Live = u8;

    async fn pair(self, _connected: &ConnectedMemoryBroker) -> Result<u8, PairError> {
        Ok(0)
    }
}

struct Stamp;

impl<K: ContextKind, Options> PublishTransform<K, Options> for Stamp {
    type Destination = Reads;
    fn apply(&self, _: &mut Outgoing<'_>, _: &mut Option<Options>, _: &K::View<'_>) {}
}

#[subscriber("parcels")]
async fn forward(_id: &u64, Out(_out): Out<impl Copy>) {}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(forward)
        .out(DefaultSlot, Lanes)
        .transform(Stamp)
        .build();
}

fn main() {}
