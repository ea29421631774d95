// PUB-121, PUB 17, MAC 5.3: a declared header contract that the call leaves out
use ruststream::memory::prelude::*;
use serde::Serialize;

#[derive(Serialize)]
struct Meta {
    gate: u8,
}

#[derive(Serialize, Outgoing)]
#[outgoing(headers = Meta)]
struct Label;

async fn publish(publisher: &impl Publisher) {
    let _ = publisher.message(&Label).to("labels").publish();
}

fn main() {}
