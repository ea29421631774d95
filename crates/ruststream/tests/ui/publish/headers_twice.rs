// PUB-201: the headers of a call are named once
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
    let meta = Meta { gate: 1 };
    let _ = publisher
        .message(&Label)
        .with_headers(&meta)
        .with_headers(&meta);
}

fn main() {}
