// PUB-101, PUB-201: a fixed name leaves nothing to name, and a name is given once
use ruststream::memory::prelude::*;
use serde::Serialize;

#[derive(Serialize, Outgoing)]
#[outgoing(name = "labels")]
struct Label;

#[derive(Serialize, Outgoing)]
struct Letter;

async fn publish(publisher: &impl Publisher) {
    let _ = publisher.message(&Label).to("letters").publish();
    let _ = publisher
        .message(&Letter)
        .to("letters")
        .to("labels")
        .publish();
}

fn main() {}
