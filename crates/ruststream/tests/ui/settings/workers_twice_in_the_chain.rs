// RUN-154, RUN-475: each of the four worker methods fills one slot
use ruststream::memory::prelude::*;

#[subscriber("parcels")]
async fn on_parcel(_id: &u64) {}

fn main() {
    let _ = on_parcel.workers_by_key(nonzero!(2)).workers(nonzero!(2));
    let _ = on_parcel.threads(nonzero!(2)).threads_by_key(nonzero!(2));
}
