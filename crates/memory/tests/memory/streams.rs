use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Wake, Waker};

use futures_util::{FutureExt, StreamExt};
use ruststream_core::{BatchSubscriber, IncomingMessage, Subscriber, nonzero};
use ruststream_memory::{MemoryBroker, MemorySubscriber};

use crate::support::*;

fn next_batch(subscriber: &mut MemorySubscriber, size: NonZeroUsize) -> Option<Vec<String>> {
    let batch = subscriber
        .batches(size)
        .next()
        .now_or_never()??
        .expect("infallible");
    Some(
        batch
            .into_iter()
            .map(|message| {
                let body = body(&message);
                ack(message);
                body
            })
            .collect(),
    )
}

#[derive(Default)]
struct Wakes(AtomicUsize);

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

// MEM-40, CORE-031
#[test]
fn a_stream_dropped_between_polls_loses_nothing() {
    let broker = MemoryBroker::new();
    let publisher = broker.publisher();
    let mut parcels = broker.subscribe("parcels");
    for body in ["1", "2", "3"] {
        publish(&publisher, "parcels", body);
    }
    {
        let mut stream = parcels.stream();
        let first = stream
            .next()
            .now_or_never()
            .flatten()
            .expect("queued")
            .expect("infallible");
        ack(first);
    }
    publish(&publisher, "parcels", "4");
    assert_eq!(bodies(&mut parcels), ["2", "3", "4"]);
}

// MEM-40
#[test]
fn single_and_batch_streams_continue_each_other() {
    let broker = MemoryBroker::new();
    let mut parcels = broker.subscribe("parcels");
    for body in ["1", "2", "3", "4"] {
        publish(&broker.publisher(), "parcels", body);
    }
    ack(take(&mut parcels));
    assert_eq!(
        next_batch(&mut parcels, nonzero!(2)),
        Some(vec!["2".to_owned(), "3".to_owned()])
    );
    assert_eq!(bodies(&mut parcels), ["4"]);
}

// MEM-40
#[test]
fn what_is_put_back_comes_after_what_was_taken_ahead() {
    let broker = MemoryBroker::new();
    let mut parcels = broker.subscribe("parcels");
    for body in ["1", "2", "3"] {
        publish(&broker.publisher(), "parcels", body);
    }
    requeue(take(&mut parcels));
    publish(&broker.publisher(), "parcels", "4");
    assert_eq!(bodies(&mut parcels), ["2", "3", "1", "4"]);
}

// CORE-030: whoever waits is woken by the next copy, and only once.
#[test]
fn a_parked_stream_is_woken_by_what_it_waits_for() {
    let broker = MemoryBroker::new();
    let publisher = broker.publisher();
    let mut parcels = broker.subscribe("parcels");
    let (old, new) = (Arc::new(Wakes::default()), Arc::new(Wakes::default()));
    let mut stream = parcels.stream();
    for wakes in [&old, &new] {
        let waker = Waker::from(Arc::clone(wakes));
        assert!(
            stream
                .poll_next_unpin(&mut Context::from_waker(&waker))
                .is_pending()
        );
    }
    publish(&publisher, "parcels", "1");
    publish(&publisher, "parcels", "2");
    assert_eq!(old.0.load(Ordering::Relaxed), 0, "the task moved");
    assert_eq!(new.0.load(Ordering::Relaxed), 1);
}

// MEM-34
#[test]
fn a_parked_stream_is_woken_by_a_delivery_that_comes_back() {
    let broker = MemoryBroker::new();
    let mut parcels = broker.subscribe("parcels");
    publish(&broker.publisher(), "parcels", "1");
    let held = take(&mut parcels);
    let parked = Arc::new(Wakes::default());
    let waker = Waker::from(Arc::clone(&parked));
    let mut stream = parcels.stream();
    assert!(
        stream
            .poll_next_unpin(&mut Context::from_waker(&waker))
            .is_pending()
    );
    drop(held);
    assert_eq!(parked.0.load(Ordering::Relaxed), 1);
}

// MEM-41, CORE-140
#[test]
fn a_batch_takes_what_is_queued_up_to_its_size() {
    let broker = MemoryBroker::new();
    let mut parcels = broker.subscribe("parcels");
    for body in ["1", "2", "3", "4", "5"] {
        publish(&broker.publisher(), "parcels", body);
    }
    let size = nonzero!(3);
    assert_eq!(
        next_batch(&mut parcels, size).expect("queued"),
        ["1", "2", "3"]
    );
    publish(&broker.publisher(), "parcels", "6");
    assert_eq!(
        next_batch(&mut parcels, size).expect("queued"),
        ["4", "5", "6"]
    );
    publish(&broker.publisher(), "parcels", "7");
    assert_eq!(
        next_batch(&mut parcels, size).expect("ships a partial one"),
        ["7"]
    );
    assert_eq!(
        next_batch(&mut parcels, size),
        None,
        "waits for a first delivery"
    );
}

// MEM-41
#[test]
fn a_batch_has_room_for_its_size_and_no_size_is_too_large() {
    let broker = MemoryBroker::new();
    let mut parcels = broker.subscribe("parcels");
    for size in [nonzero!(64), NonZeroUsize::MAX] {
        publish(&broker.publisher(), "parcels", "1");
        let batch = parcels.batches(size).next().now_or_never().flatten();
        let batch = batch.expect("queued").expect("infallible");
        assert!(batch.capacity() >= size.get().min(64));
        batch.into_iter().for_each(ack);
    }
}

// CORE-140
#[test]
fn elements_of_a_batch_settle_one_by_one() {
    let broker = MemoryBroker::new();
    let mut parcels = broker.subscribe("parcels");
    for body in ["1", "2", "3"] {
        publish(&broker.publisher(), "parcels", body);
    }
    let batch = parcels.batches(nonzero!(3)).next().now_or_never().flatten();
    for message in batch.expect("queued").expect("infallible") {
        let requeued = body(&message) == "2";
        at_once(message.nack(requeued)).expect("settles");
    }
    let back = take(&mut parcels);
    assert_eq!((body(&back).as_str(), count(&back)), ("2", 2));
    ack(back);
    assert!(next(&mut parcels).is_none());
}

// MEM-71
#[test]
fn a_publish_never_waits_for_a_reader() {
    let broker = MemoryBroker::new();
    let publisher = broker.publisher();
    let mut parcels = broker.subscribe("parcels");
    for index in 0..10_000 {
        // Answered at once, though nobody reads.
        publish(&publisher, "parcels", &index.to_string());
    }
    let read = bodies(&mut parcels);
    assert_eq!(read.len(), 10_000);
    assert!(
        read.iter()
            .enumerate()
            .all(|(index, body)| *body == index.to_string())
    );
}
