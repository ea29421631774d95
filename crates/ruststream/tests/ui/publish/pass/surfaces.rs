// PUB-200, PUB-201, PUB-725: one call shape on every surface, the steps in any order
use std::time::Duration;

use ruststream::codec::JsonCodec;
use ruststream::memory::prelude::*;
use serde::Serialize;

#[derive(Serialize)]
struct Meta {
    gate: u8,
}

#[derive(Serialize, Outgoing)]
#[outgoing(headers = Meta)]
struct Label;

#[derive(Serialized, Outgoing)]
#[outgoing(name = "frames")]
struct Frame(Vec<u8>);

pub async fn bare<P>(publisher: &P) -> Result<(), Box<dyn std::error::Error>>
where
    P: TransactionalPublisher + OwnedTransactions + RequestReply,
{
    let (label, meta, frame) = (Label, Meta { gate: 1 }, Frame(vec![1]));
    publisher
        .message(&label)
        .to("labels")
        .with_headers(&meta)
        .with_codec(JsonCodec)
        .publish()
        .await?;
    publisher
        .message(&label)
        .with_codec(JsonCodec)
        .with_headers(&meta)
        .to("labels")
        .publish()
        .await?;
    publisher
        .message(&frame)
        .with_headers(HeaderMap::new())
        .publish()
        .await?;
    let _ = publisher
        .message(&frame)
        .request(Duration::from_secs(1))
        .await?;

    let mut scope = publisher.begin().await?;
    scope.message(&frame).publish().await?;
    scope.publish("weights", &7_u8).await?;
    scope.commit().await?;

    let mut transaction = publisher.owned_transaction().await?;
    transaction
        .message(&label)
        .to(String::from("labels"))
        .with_headers(&meta)
        .publish()
        .await?;
    transaction.publish("weights", &7_u8).await?;
    transaction.abort().await?;
    Ok(())
}

#[derive(OutSlot)]
#[publishes(Label, Frame)]
struct Audit;

#[derive(OutMessages)]
enum Both {
    Label(Label),
    Frame(Frame),
}

#[subscriber("parcels")]
async fn slots(
    _id: &u64,
    Out(any): Out<impl TransactionalPublisher, Audit>,
    Out(one): Out<impl Publisher, DefaultSlot, Frame>,
) -> Result<(), Box<dyn std::error::Error>> {
    let (label, meta, frame) = (Label, Meta { gate: 1 }, Frame(vec![1]));
    any.message(&label)
        .with_headers(&meta)
        .to("labels")
        .publish()
        .await?;
    let scope = any.begin().await?;
    scope.message(&frame).publish().await?;
    scope.commit().await?;
    one.message(&frame).publish().await?;
    Ok(())
}

#[subscriber("parcels")]
async fn sets(
    _id: &u64,
    Out(listed): Out<impl Publisher, Audit, (Label, Frame)>,
    Out(chosen): Out<impl Publisher, DefaultSlot, Both>,
) -> HandlerOutcome {
    let frame = Frame(vec![1]);
    let _ = listed.message(&frame).publish().await;
    let _ = chosen.message(&frame).publish().await;
    HandlerOutcome::ack()
}

fn main() {
    let _ = RustStream::new(AppInfo::new("depot", "1.0.0")).with_broker(MemoryBroker::new(), |b| {
        b.include(slots)
            .out(Audit, TransactionalPublish)
            .out(DefaultSlot, Publish)
            .build();
        b.include(sets)
            .out(DefaultSlot, Request)
            .out(Audit, Publish)
            .build();
    });
}
