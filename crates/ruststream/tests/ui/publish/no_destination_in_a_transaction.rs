// PUB-103, PUB-200, PUB 17, MAC 5.3: the same in a transaction, borrowed and owned
use ruststream::memory::prelude::*;
use serde::Serialize;

#[derive(Serialize, Outgoing)]
struct Label;

async fn borrowed(publisher: &impl TransactionalPublisher) {
    let Ok(scope) = publisher.begin().await else {
        return;
    };
    let _ = scope.message(&Label).publish();
}

async fn owned(publisher: &impl OwnedTransactions) {
    let Ok(mut transaction) = publisher.owned_transaction().await else {
        return;
    };
    let _ = transaction.message(&Label).publish();
}

fn main() {}
