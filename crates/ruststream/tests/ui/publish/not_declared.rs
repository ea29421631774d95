// PUB-207, CORE-290: a message that declares nothing
use ruststream::memory::prelude::*;
use serde::Serialize;

#[derive(Serialize)]
struct Label;

async fn publish(publisher: &impl Publisher) {
    let _ = publisher.message(&Label).to("labels").publish();
}

fn main() {}
