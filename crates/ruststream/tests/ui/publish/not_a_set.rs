// PUB-502, PUB 17: a set type that declares nothing
use ruststream::memory::prelude::*;
use serde::Serialize;

#[derive(Serialize, Outgoing)]
struct Label;

#[derive(Serialize, Outgoing)]
struct Letter;

#[derive(OutSlot)]
#[publishes(Label, Letter)]
struct Audit;

struct Goods;

#[subscriber("parcels")]
async fn forward(_id: &u64, Out(out): Out<impl Publisher, Audit, Goods>) {
    let _ = out.message(&Letter).to("letters").publish();
}

fn main() {}
