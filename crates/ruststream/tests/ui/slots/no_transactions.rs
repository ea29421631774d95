// PUB-510, CORE-123, PUB 17, CORE-290, MAC 5.2: a slot with transactions, over a publisher without
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;

#[subscriber("parcels")]
async fn forward(_id: &u64, Out(_out): Out<impl TransactionalPublisher>) {}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(forward).out(DefaultSlot, Request).build();
}

fn main() {}
