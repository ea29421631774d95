// PUB-502, PUB 17, MAC 5.3: a message beside the one that the parameter declares
use ruststream::memory::prelude::*;
use serde::Serialize;

#[derive(Serialize, Outgoing)]
struct Label;

#[derive(Serialize, Outgoing)]
struct Letter;

#[derive(OutSlot)]
#[publishes(Label, Letter)]
struct Audit;

#[subscriber("parcels")]
async fn forward(_id: &u64, Out(out): Out<impl Publisher, Audit, Label>) {
    let _ = out.message(&Letter).to("letters").publish();
}

fn main() {}
