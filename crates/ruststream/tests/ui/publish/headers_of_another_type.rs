// PUB-121, PUB 17: a typed value of another contract
use ruststream::memory::prelude::*;
use serde::Serialize;

#[derive(Serialize)]
struct Meta {
    gate: u8,
}

#[derive(Serialize, Outgoing)]
#[outgoing(headers = Meta)]
struct Label;

#[derive(Serialize)]
struct Other;

async fn publish(publisher: &impl Publisher) {
    let _ = publisher
        .message(&Label)
        .with_headers(&Other)
        .to("labels")
        .publish();
}

fn main() {}
