// PUB-134, PUB 17, MAC 5.2: a publish that must encode and names no codec
use ruststream::memory::prelude::*;
use serde::Serialize;

#[derive(Serialize, Outgoing)]
struct Label;

async fn publish(publisher: &impl Publisher) {
    let _ = publisher.message(&Label).to("labels").publish();
}

fn main() {}
