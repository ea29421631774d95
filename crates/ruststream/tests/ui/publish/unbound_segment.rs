// PUB-115, PUB-116, PUB 17, MAC 5.3: a template with an unbound placeholder
use ruststream::memory::prelude::*;
use serde::Serialize;

#[derive(Serialize, Outgoing)]
#[outgoing(name = "depots.{region}.{depot}.labels")]
struct Label;

async fn publish(publisher: &impl Publisher) {
    let _ = publisher.message(&Label).to().depot(7).publish();
}

fn main() {}
