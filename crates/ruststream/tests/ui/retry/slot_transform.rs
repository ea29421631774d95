// PUB-600: the retry position takes transforms of the reply kind
use ruststream::memory::prelude::*;
use ruststream::runtime::{BrokerScope, Outgoing, SlotContext};

struct Stamp;

impl<Options> PublishTransform<ForSlot, Options> for Stamp {
    type Destination = Reads;
    fn apply(&self, _: &mut Outgoing<'_>, _: &mut Option<Options>, _: &SlotContext<'_>) {}
}

#[subscriber("parcels")]
async fn on_parcel(_id: &u64) {}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(on_parcel).out_retry(Publish).transform(Stamp);
}

fn main() {}
