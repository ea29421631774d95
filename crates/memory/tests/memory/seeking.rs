use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Wake, Waker};
use std::thread;

use futures_util::{FutureExt, StreamExt};
use proptest::prelude::*;
use ruststream_core::{
    BatchSubscriber, Positioned, Seekable, Seeker, StartAt, Subscriber, SubscriptionSource, nonzero,
};
use ruststream_memory::{
    MemoryBroker, MemoryError, MemoryPosition, MemorySource, MemorySubscriber, Retaining, Retention,
};

use crate::support::*;

fn retaining() -> MemoryBroker<Retaining> {
    MemoryBroker::retaining(Retention::Messages(nonzero!(64)))
}

fn seek(subscriber: &MemorySubscriber<Retaining>, to: MemoryPosition) {
    at_once(subscriber.seeker().seek(to)).expect("seeks");
}

fn five(broker: &MemoryBroker<Retaining>) -> MemorySubscriber<Retaining> {
    let parcels = broker.subscribe("parcels");
    for body in ["0", "1", "2", "3", "4"] {
        publish(&broker.publisher(), "parcels", body);
    }
    parcels
}

// MEM-49, MEM-51, CORE-171, CORE-174
#[test]
fn a_seek_moves_its_subscription_and_no_other() {
    let broker = retaining();
    let mut sibling = broker.subscribe("parcels");
    let mut parcels = five(&broker);
    let seeker = parcels.seeker();
    ack(take(&mut parcels));
    at_once(seeker.seek(MemoryPosition::sequence(3))).expect("seeks");
    assert_eq!(bodies(&mut parcels), ["3", "4"]);
    at_once(seeker.clone().seek(MemoryPosition::sequence(2))).expect("seeks");
    publish(&broker.publisher(), "parcels", "5");
    assert_eq!(bodies(&mut parcels), ["2", "3", "4", "5"]);
    assert_eq!(bodies(&mut sibling), ["0", "1", "2", "3", "4", "5"]);
}

// MEM-50
#[test]
fn start_end_and_numbers_past_the_tip() {
    let broker = retaining();
    let mut parcels = five(&broker);
    seek(&parcels, MemoryPosition::end());
    assert!(bodies(&mut parcels).is_empty());
    seek(&parcels, MemoryPosition::start());
    assert_eq!(bodies(&mut parcels).len(), 5);
    seek(&parcels, MemoryPosition::sequence(99));
    assert!(bodies(&mut parcels).is_empty());
    publish(&broker.publisher(), "parcels", "5");
    assert_eq!(bodies(&mut parcels), ["5"]);
}

// MEM-50: on a name never published to, every position is its tip, zero.
#[test]
fn a_number_past_an_empty_log_waits_for_the_next_publish() {
    for to in [
        MemoryPosition::sequence(5),
        MemoryPosition::start(),
        MemoryPosition::end(),
    ] {
        let broker = retaining();
        let mut parcels = broker.subscribe("parcels");
        seek(&parcels, to);
        publish(&broker.publisher(), "parcels", "0");
        assert_eq!(bodies(&mut parcels), ["0"], "{to:?}");
    }
}

// MEM-50, CORE-173
#[test]
fn an_evicted_position_is_refused_and_nothing_moves() {
    let broker = MemoryBroker::retaining(Retention::Messages(nonzero!(2)));
    let mut parcels = five(&broker);
    let refused = at_once(parcels.seeker().seek(MemoryPosition::sequence(0)));
    assert_eq!(
        refused,
        Err(MemoryError::PositionEvicted {
            requested: 0,
            oldest: 3
        })
    );
    assert_eq!(bodies(&mut parcels), ["0", "1", "2", "3", "4"]);
}

// MEM-51
#[test]
fn the_last_of_several_seeks_counts() {
    let mut parcels = five(&retaining());
    ack(take(&mut parcels));
    seek(&parcels, MemoryPosition::start());
    seek(&parcels, MemoryPosition::sequence(4));
    seek(&parcels, MemoryPosition::sequence(3));
    assert_eq!(bodies(&mut parcels), ["3", "4"]);
}

// MEM-51
#[test]
fn a_parked_stream_is_woken_by_a_seek() {
    #[derive(Default)]
    struct Woken(AtomicBool);
    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    let broker = retaining();
    let mut parcels = five(&broker);
    assert_eq!(bodies(&mut parcels).len(), 5);
    let seeker = parcels.seeker();
    let woken = Arc::new(Woken::default());
    let waker = Waker::from(Arc::clone(&woken));
    let mut stream = parcels.stream();
    assert!(
        stream
            .poll_next_unpin(&mut Context::from_waker(&waker))
            .is_pending()
    );
    at_once(seeker.seek(MemoryPosition::sequence(4))).expect("seeks");
    assert!(woken.0.load(Ordering::Relaxed));
    let replayed = stream
        .next()
        .now_or_never()
        .flatten()
        .expect("queued")
        .expect("infallible");
    assert_eq!(body(&replayed), "4");
}

// MEM-52, CORE-174
#[test]
fn a_copy_put_back_after_a_seek_past_it_is_dropped() {
    let broker = retaining();
    let mut parcels = five(&broker);
    let (stale, fresh) = (take(&mut parcels), take(&mut parcels));
    seek(&parcels, MemoryPosition::sequence(1));
    requeue(stale);
    requeue(fresh);
    assert_eq!(
        bodies(&mut parcels),
        ["1", "2", "3", "4", "1"],
        "put back on top of its replay"
    );

    let stale = {
        seek(&parcels, MemoryPosition::start());
        take(&mut parcels)
    };
    seek(&parcels, MemoryPosition::sequence(4));
    drop(stale);
    let batch = parcels.batches(nonzero!(8)).next().now_or_never().flatten();
    let batch = batch.expect("queued").expect("infallible");
    assert_eq!(batch.iter().map(body).collect::<Vec<_>>(), ["4"]);
}

// MEM-54, CORE-172
#[test]
fn a_captured_position_delivers_exactly_that_message_next() {
    let mut parcels = five(&retaining());
    let positions: Vec<_> = (0..5)
        .map(|_| {
            let parcel = take(&mut parcels);
            let position = parcel.position();
            ack(parcel);
            position
        })
        .collect();
    for n in [3, 1, 4, 0] {
        seek(&parcels, positions[n]);
        let parcel = take(&mut parcels);
        assert_eq!(body(&parcel), n.to_string());
        ack(parcel);
    }
}

// CORE-171
#[test]
fn a_seek_works_right_after_subscribing_and_from_a_foreign_runtime() {
    let broker = retaining();
    drop(five(&broker));
    let mut parcels = broker.subscribe("parcels");
    let seeker = parcels.seeker();
    on_foreign_runtime(async move { seeker.seek(MemoryPosition::sequence(4)).await })
        .expect("seeks");
    assert_eq!(bodies(&mut parcels), ["4"]);
}

// MEM-55, CORE-053
#[test]
fn a_start_position_replays_and_goes_on_live() {
    let broker = retaining();
    drop(five(&broker));
    let connected = connect(&broker);
    let source = StartAt::new(MemorySource::new("parcels"), MemoryPosition::sequence(3));
    let mut parcels = at_once(source.subscribe(&connected)).expect("subscribes");
    publish(&broker.publisher(), "parcels", "5");
    assert_eq!(bodies(&mut parcels), ["3", "4", "5"]);
}

// MEM-55
#[test]
fn a_refused_start_position_is_the_open_error() {
    let broker = MemoryBroker::retaining(Retention::Messages(nonzero!(1)));
    drop(five(&broker));
    let source = StartAt::new(MemorySource::new("parcels"), MemoryPosition::sequence(0));
    let refused = at_once(source.subscribe(&connect(&broker)));
    assert_eq!(
        refused.err(),
        Some(MemoryError::PositionEvicted {
            requested: 0,
            oldest: 4
        })
    );
}

// MEM-53
#[test]
fn a_seek_beside_a_running_publisher_neither_loses_nor_doubles() {
    const MESSAGES: usize = 20_000;
    let broker = MemoryBroker::retaining(Retention::Messages(nonzero!(100_000)));
    let mut parcels = broker.subscribe("parcels");
    let publisher = broker.publisher();
    thread::scope(|scope| {
        scope.spawn(move || {
            for n in 0..MESSAGES {
                publish(&publisher, "parcels", &n.to_string());
            }
        });
        let mut expected = 0;
        let mut read = 0;
        while expected < MESSAGES {
            let Some(parcel) = next(&mut parcels) else {
                continue;
            };
            assert_eq!(body(&parcel), expected.to_string());
            ack(parcel);
            expected += 1;
            read += 1;
            if read % 1000 == 0 && read < 50_000 {
                expected -= 400;
                seek(&parcels, MemoryPosition::sequence(expected));
            }
        }
    });
}

#[derive(Debug, Clone)]
enum Step {
    Publish,
    Seek(MemoryPosition),
    Ack,
    Hold,
    Requeue,
    Batch,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => Just(Step::Publish),
        1 => Just(Step::Seek(MemoryPosition::start())),
        1 => Just(Step::Seek(MemoryPosition::end())),
        2 => (0..30_usize).prop_map(|n| Step::Seek(MemoryPosition::sequence(n))),
        2 => Just(Step::Ack),
        2 => Just(Step::Hold),
        2 => Just(Step::Requeue),
        1 => Just(Step::Batch),
    ]
}

proptest! {
    // MEM-44, MEM-45, MEM-50, MEM-51, MEM-52: any interleaving behaves as the obvious model.
    #[test]
    fn seeking_behaves_as_a_queue_that_a_seek_replaces(steps in prop::collection::vec(step(), 0..60)) {
        let broker = MemoryBroker::retaining(Retention::Messages(nonzero!(8)));
        let publisher = broker.publisher();
        let mut parcels = broker.subscribe("parcels");
        let (mut tip, mut floor) = (0_usize, 0);
        let mut queue: VecDeque<(usize, u64)> = VecDeque::new();
        let mut held = VecDeque::new();
        for step in steps {
            let oldest = tip.saturating_sub(8);
            match step {
                Step::Publish => {
                    publish(&publisher, "parcels", &tip.to_string());
                    queue.push_back((tip, 1));
                    tip += 1;
                }
                Step::Seek(to) => {
                    let target = match to {
                        MemoryPosition::Start => Some(oldest),
                        MemoryPosition::End => Some(tip),
                        MemoryPosition::Sequence(n) => (n >= oldest).then_some(n.min(tip)),
                    };
                    let sought = at_once(parcels.seeker().seek(to));
                    prop_assert_eq!(sought.is_ok(), target.is_some());
                    if let Some(target) = target {
                        floor = target;
                        queue = (target..tip).map(|position| (position, 1)).collect();
                    }
                }
                Step::Requeue => {
                    if let Some((message, (position, count))) = held.pop_front() {
                        requeue(message);
                        if position >= floor {
                            queue.push_back((position, count + 1));
                        }
                    }
                }
                Step::Ack | Step::Hold => {
                    let message = next(&mut parcels);
                    let expected = queue.pop_front();
                    let seen = message.as_ref().map(|message| (message.position(), count(message)));
                    prop_assert_eq!(seen, expected.map(|(n, count)| (MemoryPosition::sequence(n), count)));
                    match (message, expected) {
                        (Some(message), Some(expected)) if matches!(step, Step::Hold) => {
                            held.push_back((message, expected));
                        }
                        (message, _) => message.into_iter().for_each(ack),
                    }
                }
                Step::Batch => {
                    let batch = parcels.batches(nonzero!(3)).next().now_or_never().flatten();
                    let seen: Vec<_> = batch.into_iter().flat_map(|batch| batch.expect("infallible")).map(|message| {
                        let seen = (message.position(), count(&message));
                        ack(message);
                        seen
                    }).collect();
                    let expected: Vec<_> = queue.drain(..queue.len().min(3))
                        .map(|(n, count)| (MemoryPosition::sequence(n), count)).collect();
                    prop_assert_eq!(seen, expected);
                }
            }
        }
    }
}
