// PUB-121, PUB 17, MAC 5.3: the same on the path of a template
use ruststream::memory::prelude::*;
use serde::Serialize;

#[derive(Serialize)]
struct Meta {
    gate: u8,
}

#[derive(Serialize, Outgoing)]
#[outgoing(name = "depots.{depot}.labels", headers = Meta)]
struct Label;

async fn publish(publisher: &impl Publisher) {
    let _ = publisher.message(&Label).to().depot(7).publish();
}

fn main() {}
