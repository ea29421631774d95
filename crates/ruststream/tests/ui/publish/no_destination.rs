// PUB-103, PUB-201, PUB 17, MAC 5.3: a message that the call must name a destination for
use ruststream::memory::prelude::*;
use serde::Serialize;

#[derive(Serialize, Outgoing)]
struct Label;

async fn publish(publisher: &impl Publisher) {
    let _ = publisher.message(&Label).publish().await;
}

fn main() {}
