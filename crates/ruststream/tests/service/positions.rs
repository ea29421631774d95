//! Positions and seeks, on a broker that keeps a log.

use ruststream::memory::PARTITION_KEY_HEADER;
use ruststream::memory::prelude::*;
use ruststream::{HeaderMap, OutgoingMessage};

use crate::support::{Journal, lines, service_with};

/// A message on a memory broker, with a key and nothing else.
async fn send<Log: ruststream::memory::LogMode>(broker: &MemoryBroker<Log>, number: u32) {
    let headers = HeaderMap::from_iter([(PARTITION_KEY_HEADER, "same")]);
    let payload = BytesMut::from(number.to_string().as_bytes());
    let message = OutgoingMessage::produced("parcels", payload).with_headers(headers);
    broker
        .publisher()
        .publish(message, None)
        .await
        .expect("publishes");
}

#[subscriber(MemorySource)]
async fn positioned(
    id: &u32,
    ctx: &mut Context<'_, MemoryContext, Journal>,
    Ctx(position): Ctx<Position>,
) {
    ctx.state().note(format!("{id} at {position:?}"));
    // Once, it goes back by one.
    if *id == 12 && ctx.state().beginning("12").len() == 1 {
        ctx.context(SeekHandle)
            .seek(MemoryPosition::sequence(1))
            .await
            .expect("seeks");
    }
}

#[subscriber(MemorySource)]
async fn positioned_batch(ids: &[u32], ctx: &mut Context<'_, MemoryBatchContext, Journal>) {
    ctx.state().note(format!("batch {ids:?}"));
    if ctx.state().beginning("batch").len() == 1 {
        ctx.context(SeekHandle)
            .seek(MemoryPosition::start())
            .await
            .expect("seeks");
    }
}

// RUN-155, RUN-360, RUN-370, RUN-380, RUN-387, CORE-175
#[tokio::test]
async fn contexts_of_a_broker_with_a_log_read_positions_and_go_back() {
    let start = MemoryPosition::sequence(1);
    let journal = Journal::default();
    let broker = MemoryBroker::retaining(Retention::Messages(nonzero!(16)));
    for number in 10..13 {
        send(&broker, number).await;
    }
    let app = service_with(journal.clone()).with_broker(broker.clone(), |b| {
        b.include(positioned.name("parcels").start_at(start));
    });
    let running = app.start().await.expect("starts");
    journal.until_count(4, "1").await;
    running.shutdown().await.expect("stops");
    let (eleven, twelve) = ("11 at Sequence(1)", "12 at Sequence(2)");
    assert_eq!(lines(&journal.take()), [eleven, twelve, eleven, twelve]);

    let broker = MemoryBroker::retaining(Retention::Messages(nonzero!(16)));
    for number in 10..13 {
        send(&broker, number).await;
    }
    let app = service_with(journal.clone()).with_broker(broker.clone(), |b| {
        b.include(
            positioned_batch
                .name("parcels")
                .start_at(start)
                .batch(nonzero!(8)),
        );
    });
    let running = app.start().await.expect("starts");
    journal.until_count(2, "batch").await;
    running.shutdown().await.expect("stops");
    assert_eq!(
        lines(&journal.take()),
        ["batch [11, 12]", "batch [10, 11, 12]"]
    );
}
