// PUB-130, PUB 17, CORE-290, MAC 5.3: a message of neither wire
use ruststream::memory::prelude::*;

#[derive(Outgoing)]
struct Label;

async fn publish(publisher: &impl Publisher) {
    let _ = publisher.message(&Label).to("labels").publish();
}

fn main() {}
