// PUB-121: headers that are no source of any
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
    let _ = publisher
        .message(&Label)
        .with_headers(Meta { gate: 1 })
        .to("labels")
        .publish();
}

fn main() {}
