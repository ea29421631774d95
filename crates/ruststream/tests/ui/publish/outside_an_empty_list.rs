// RUN-475, PUB-503, MAC-57: a slot that lists nothing publishes nothing
use ruststream::memory::prelude::*;
use serde::Serialize;

#[derive(Serialize, Outgoing)]
struct Label;

#[derive(Serialize, Outgoing)]
struct Letter;

#[derive(OutSlot)]
struct Audit;

#[subscriber("parcels")]
async fn forward(_id: &u64, Out(out): Out<impl Publisher, Audit>) {
    let _ = out.message(&Letter).to("letters").publish();
}

fn main() {}
