// CORE-290: a message on what cannot publish
use ruststream::memory::prelude::*;
use serde::Serialize;

#[derive(Serialize, Outgoing)]
struct Label;

async fn sent(publisher: &impl Publisher) -> bool {
    publisher
        .message(&Label)
        .to("labels")
        .publish()
        .await
        .is_ok()
}

async fn publish() {
    let _ = sent(&7_u8).await;
}

fn main() {}
