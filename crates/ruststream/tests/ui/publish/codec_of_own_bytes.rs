// PUB-201, PUB 17, MAC 5.3: a codec for a message that writes its own bytes
use ruststream::codec::JsonCodec;
use ruststream::memory::prelude::*;

#[derive(Serialized, Outgoing)]
struct Label(Vec<u8>);

async fn publish(publisher: &impl Publisher) {
    let _ = publisher
        .message(&Label(Vec::new()))
        .with_codec(JsonCodec)
        .to("labels")
        .publish();
}

fn main() {}
