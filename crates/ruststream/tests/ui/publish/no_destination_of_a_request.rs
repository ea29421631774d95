// PUB-103, PUB-725: nor does a request guess one
use ruststream::memory::prelude::*;
use serde::Serialize;
use std::time::Duration;

#[derive(Serialize, Outgoing)]
struct Quote;

async fn ask(publisher: &impl RequestReply) {
    let _ = publisher
        .message(&Quote)
        .request(Duration::from_secs(1))
        .await;
}

fn main() {}
