// PUB-502, PUB 17, MAC 5.3: a message outside the set of the parameter
use ruststream::memory::prelude::*;
use serde::Serialize;

#[derive(Serialize, Outgoing)]
struct Label;

#[derive(Serialize, Outgoing)]
struct Letter;

#[derive(Serialize, Outgoing)]
struct Note;

#[derive(OutSlot)]
#[publishes(Label, Letter, Note)]
struct Audit;

#[subscriber("parcels")]
async fn forward(_id: &u64, Out(out): Out<impl Publisher, Audit, (Label, Note)>) {
    let _ = out.message(&Letter).to("letters").publish();
}

fn main() {}
