// PUB-134, PUB-200, PUB 17: the same in a transaction
use ruststream::memory::prelude::*;
use serde::Serialize;

#[derive(Serialize, Outgoing)]
struct Label;

async fn publish(publisher: &impl TransactionalPublisher) {
    let Ok(scope) = publisher.begin().await else {
        return;
    };
    let _ = scope.message(&Label).to("labels").publish();
}

fn main() {}
