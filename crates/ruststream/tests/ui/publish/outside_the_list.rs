// RUN-475, PUB-502, PUB 17, MAC 5.3: a message that the slot does not list
use ruststream::memory::prelude::*;
use serde::Serialize;

#[derive(Serialize, Outgoing)]
struct Label;

#[derive(Serialize, Outgoing)]
struct Letter;

#[derive(OutSlot)]
#[publishes(Label)]
struct Audit;

#[subscriber("parcels")]
async fn forward(_id: &u64, Out(out): Out<impl Publisher, Audit>) {
    let _ = out.message(&Letter).to("letters").publish();
}

fn main() {}
