// RUN-153, MAC-80: what a count may be written as
use std::num::{NonZeroU16, NonZeroUsize};

use ruststream::memory::prelude::*;
use ruststream::runtime::{BrokerScope, SubscriberSettings};

const LANES: usize = 8;

#[subscriber("parcels")]
async fn on_parcel(_id: &u64) {}

#[subscriber("parcels")]
async fn on_parcels(_ids: &[u64]) {}

fn mount(b: &mut BrokerScope<MemoryBroker>, size: NonZeroU16) {
    b.include(on_parcel.workers(nonzero!(4)));
    b.include(on_parcel.workers_by_key(nonzero!(LANES)));
    b.include(on_parcel.threads(NonZeroUsize::MIN));
    b.include(on_parcel.workers(4_usize.try_into().unwrap()));
    b.include(on_parcel.threads_by_key(NonZeroUsize::new(2).unwrap()));
    b.include(on_parcels.batch(size.into()));
    b.include(SubscriberSettings::batch(on_parcels, "64".parse().unwrap()));
}

fn main() {}
