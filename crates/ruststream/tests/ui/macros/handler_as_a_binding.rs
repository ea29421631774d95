// MAC-30: a handler is a value of its name, so nothing beside it is bound to that name
use ruststream::memory::prelude::*;

#[subscriber("parcels")]
async fn weigh(_parcel: &u32) {}

fn main() {
    let weigh = 7_u32;
    let _ = weigh;
}

fn mutable() {
    let mut weigh = 7_u32;
    weigh += 1;
    let _ = weigh;
}
