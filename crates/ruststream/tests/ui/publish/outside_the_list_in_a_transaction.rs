// PUB-705, PUB 17: a transaction on a slot admits what the slot does
use ruststream::memory::prelude::*;
use serde::Serialize;

#[derive(Serialize, Outgoing)]
struct Letter;

#[derive(OutSlot)]
struct Audit;

#[subscriber("parcels")]
async fn borrowed(_id: &u64, Out(out): Out<impl TransactionalPublisher, Audit>) {
    let Ok(scope) = out.begin().await else { return };
    let _ = scope.message(&Letter).to("letters").publish();
}

#[subscriber("parcels")]
async fn owned(_id: &u64, Out(out): Out<impl OwnedTransactions, Audit>) {
    let Ok(mut transaction) = out.transaction().await else {
        return;
    };
    let _ = transaction.message(&Letter).to("letters").publish();
}

fn main() {}
