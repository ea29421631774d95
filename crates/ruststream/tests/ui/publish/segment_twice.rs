// PUB-116: a placeholder is bound once
use ruststream::memory::prelude::*;
use serde::Serialize;

#[derive(Serialize, Outgoing)]
#[outgoing(name = "depots.{region}.{depot}.labels")]
struct Label;

async fn publish(publisher: &impl Publisher) {
    let _ = publisher.message(&Label).to().depot(7).depot(8);
}

fn main() {}
