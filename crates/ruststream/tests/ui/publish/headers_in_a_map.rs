// PUB-121, PUB 17: a map where a contract is declared
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
        .with_headers(HeaderMap::new())
        .to("labels")
        .publish();
}

fn main() {}
