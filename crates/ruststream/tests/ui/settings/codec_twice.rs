// RUN-150: a registration names its codec once
use ruststream::codec::JsonCodec;
use ruststream::memory::prelude::*;
use ruststream::runtime::Declared;

#[subscriber("parcels")]
async fn on_parcel(_id: &u64) {}

fn main() {
    let _ = on_parcel.declare().codec(JsonCodec).codec(JsonCodec);
}
