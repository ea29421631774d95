// PUB-201: a template that is published before its placeholders are named
use ruststream::memory::prelude::*;
use serde::Serialize;

#[derive(Serialize, Outgoing)]
#[outgoing(name = "depots.{region}.{depot}.labels")]
struct Label;

async fn publish(publisher: &impl Publisher) {
    let _ = publisher.message(&Label).publish();
}

fn main() {}
