// PUB-103, PUB-200, PUB 17, MAC 5.3: the same on a slot
use ruststream::memory::prelude::*;
use serde::Serialize;

#[derive(Serialize, Outgoing)]
struct Label;

#[subscriber("parcels")]
async fn forward(_id: &u64, Out(out): Out<impl Publisher>) {
    let _ = out.message(&Label).publish();
}

fn main() {}
