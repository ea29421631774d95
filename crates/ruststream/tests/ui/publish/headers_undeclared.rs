// PUB-121: a typed value where none is declared
use ruststream::memory::prelude::*;
use serde::Serialize;

#[derive(Serialize)]
struct Meta;

#[derive(Serialize, Outgoing)]
struct Label;

async fn publish(publisher: &impl Publisher) {
    let _ = publisher
        .message(&Label)
        .with_headers(&Meta)
        .to("labels")
        .publish();
}

fn main() {}
