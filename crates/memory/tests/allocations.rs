//! What a message costs in allocations, exactly and in the long run.

use std::pin::pin;

use allocation_counter::measure;
use futures_util::{FutureExt, StreamExt};
use ruststream_core::codec::{Codec, JsonCodec};
use ruststream_core::{
    BuildContext, BytesMut, HeaderMap, IncomingMessage, OutgoingMessage, Publisher, Str,
    Subscriber, nonzero,
};
use ruststream_memory::{
    LogMode, MemoryBroker, MemoryContext, MemoryPublisher, MemorySubscriber, Retention,
};

fn send(publisher: &MemoryPublisher, message: OutgoingMessage<'_, BytesMut>) {
    let sent = publisher.publish(message, None);
    sent.now_or_never()
        .expect("resolves at once")
        .expect("publishes");
}

fn publish(publisher: &MemoryPublisher, name: &str, payload: &[u8], times: usize) {
    for _ in 0..times {
        send(publisher, OutgoingMessage::new(name, payload));
    }
}

fn consume<Log: LogMode>(subscriber: &mut MemorySubscriber<Log>, times: usize) {
    let mut stream = pin!(subscriber.stream());
    for _ in 0..times {
        let message = stream
            .next()
            .now_or_never()
            .flatten()
            .expect("queued")
            .expect("infallible");
        assert!(!message.payload().is_empty());
        message
            .ack()
            .now_or_never()
            .expect("resolves at once")
            .expect("settles");
    }
}

/// Allocations that `step(2n)` makes beyond those of `step(n)`, per message.
fn per_message(mut step: impl FnMut(usize)) -> (u64, u64) {
    const MESSAGES: usize = 100;
    let mut run = |messages| measure(|| step(messages)).count_total;
    // Twice, because a queue and its reader swap two buffers that both have to grow.
    for _ in 0..2 {
        run(2 * MESSAGES);
    }
    let short = run(MESSAGES);
    let long = run(2 * MESSAGES);
    let beyond = long - short;
    let messages = MESSAGES as u64;
    (beyond / messages, beyond % messages)
}

// CORE-260, CORE-262
#[test]
fn a_publish_to_one_reader_costs_its_buffer_alone() {
    let broker = MemoryBroker::new();
    let publisher = broker.publisher();
    let mut parcels = broker.subscribe("parcels");
    let both = per_message(|messages| {
        publish(&publisher, "parcels", b"body", messages);
        consume(&mut parcels, messages);
    });
    assert_eq!(both, (1, 0));
}

// CORE-121
#[test]
fn another_handle_costs_nothing() {
    let broker = MemoryBroker::new();
    let publisher = broker.publisher();
    let cost = measure(|| drop((publisher.clone(), broker.requester().clone())));
    assert_eq!(cost.count_total, 0);
}

// CORE-260
#[test]
fn a_delivery_costs_nothing_to_take_and_settle() {
    let broker = MemoryBroker::new();
    let publisher = broker.publisher();
    let mut parcels = broker.subscribe("parcels");
    publish(&publisher, "parcels", b"body", 700);
    let taken = per_message(|messages| consume(&mut parcels, messages));
    assert_eq!(taken, (0, 0));
}

// MEM-18, MEM-31: neither the size of a payload nor the name changes what a publish costs; several
// readers share one block.
#[test]
fn payload_size_and_name_cost_nothing_extra() {
    let long = "n".repeat(300);
    for (readers, expected) in [(1, (1, 0)), (3, (2, 0))] {
        for (name, size) in [
            ("a", 1),
            ("a", 100_000),
            (long.as_str(), 1),
            (long.as_str(), 100_000),
        ] {
            let broker = MemoryBroker::new();
            let publisher = broker.publisher();
            let mut subscribers: Vec<_> = (0..readers).map(|_| broker.subscribe(name)).collect();
            let payload = vec![7; size];
            let cost = per_message(|messages| {
                publish(&publisher, name, &payload, messages);
                for subscriber in &mut subscribers {
                    consume(subscriber, messages);
                }
            });
            assert_eq!(
                cost,
                expected,
                "{readers} readers, {size} bytes, {} of name",
                name.len()
            );
        }
    }
}

// MEM-16: what nobody reads is not even made into a message.
#[test]
fn an_unread_publish_costs_its_buffer_alone() {
    let broker = MemoryBroker::new();
    let publisher = broker.publisher();
    let cost = per_message(|messages| publish(&publisher, "nowhere", b"body", messages));
    assert_eq!(cost, (1, 0));
}

// CORE-262: what a codec writes goes out and comes back in one buffer where one thread does both,
// read or unread; only of the usual size, so that one large message is no lasting burden.
#[test]
fn an_encoded_message_costs_nothing_where_its_buffer_comes_back() {
    let broker = MemoryBroker::new();
    let publisher = broker.publisher();
    let encoded = |name, body: &str| {
        let payload = JsonCodec.encode(&body).expect("encodes");
        send(&publisher, OutgoingMessage::produced(name, payload));
    };
    let mut parcels = broker.subscribe("parcels");
    let in_turn = per_message(|messages| {
        for _ in 0..messages {
            encoded("parcels", "north");
            consume(&mut parcels, 1);
        }
    });
    assert_eq!(in_turn, (0, 0));
    let unread = per_message(|messages| (0..messages).for_each(|_| encoded("nowhere", "north")));
    assert_eq!(unread, (0, 0));

    let large = "n".repeat(1000);
    encoded("parcels", &large);
    let kept = measure(|| consume(&mut parcels, 1)).bytes_current;
    assert!(kept < -1000, "{kept} bytes");
}

// CORE-111: the buffer that a codec filled is kept as it is, spare room included.
#[test]
fn a_buffer_with_room_to_spare_is_not_made_over() {
    let broker = MemoryBroker::new();
    let publisher = broker.publisher();
    let mut parcels = broker.subscribe("parcels");
    let cost = per_message(|messages| {
        for _ in 0..messages {
            let mut payload = BytesMut::with_capacity(512);
            payload.extend_from_slice(b"body");
            let message = OutgoingMessage::produced("parcels", payload);
            send(&publisher, message);
        }
        consume(&mut parcels, messages);
    });
    assert_eq!(cost, (1, 0));
}

// CORE-263: headers move; they cost what writing them costs, here the list's one block.
#[test]
fn headers_are_moved() {
    let broker = MemoryBroker::new();
    let publisher = broker.publisher();
    let mut parcels = broker.subscribe("parcels");
    let cost = per_message(|messages| {
        for _ in 0..messages {
            let mut headers = HeaderMap::new();
            headers.insert(Str::from_static("tenant"), &b"north"[..]);
            let message = OutgoingMessage::new("parcels", b"body").with_headers(headers);
            send(&publisher, message);
        }
        consume(&mut parcels, messages);
    });
    assert_eq!(cost, (2, 0));
}

// MEM-36, MEM-48: a requeue is a move, and a log entry a reference count.
#[test]
fn requeues_and_log_entries_cost_nothing() {
    let broker = MemoryBroker::retaining(Retention::Messages(nonzero!(16)));
    let publisher = broker.publisher();
    let mut parcels = broker.subscribe("parcels");
    let cost = per_message(|messages| {
        for _ in 0..messages {
            publish(&publisher, "parcels", b"body", 1);
            let again = parcels.stream().next().now_or_never().flatten();
            let again = again.expect("queued").expect("infallible");
            again
                .nack(true)
                .now_or_never()
                .expect("resolves at once")
                .expect("settles");
            consume(&mut parcels, 1);
        }
    });
    assert_eq!(cost, (2, 0));
}

// MEM-72: the room that a burst took is given back.
#[test]
fn a_burst_leaves_no_buffers_behind() {
    const BURST: usize = 100_000;
    let broker = MemoryBroker::new();
    let publisher = broker.publisher();
    let mut parcels = broker.subscribe("parcels");
    let left = measure(|| {
        for messages in [BURST, 1, 1] {
            publish(&publisher, "parcels", b"body", messages);
            consume(&mut parcels, messages);
        }
    });
    assert!(left.bytes_max > 1_000_000, "{left:?}");
    assert!(left.bytes_current < 1_000, "{left:?}");
}

const KIB: [u8; 1024] = [7; 1024];

// MEM-16, MEM-72: the first publish makes what the broker keeps for good; three million more hold
// one buffer at a time and leave none.
#[test]
fn three_million_unread_publishes_cost_no_memory() {
    let broker = MemoryBroker::new();
    let publisher = broker.publisher();
    publish(&publisher, "nowhere", &KIB, 1);
    let cost = measure(|| publish(&publisher, "nowhere", &KIB, 3_000_000));
    assert_eq!((cost.count_current, cost.bytes_current), (0, 0));
    assert_eq!((cost.count_max, cost.bytes_max), (1, 1024));
}

// MEM-72: with the subscription goes all that waited in it, and what it was registered by.
#[test]
fn a_dropped_subscription_frees_its_queue() {
    const UNREAD: usize = 10_000;
    let broker = MemoryBroker::new();
    let publisher = broker.publisher();
    let round = || {
        let parcels = broker.subscribe("parcels");
        publish(&publisher, "parcels", &KIB, UNREAD);
        drop(parcels);
    };
    round();
    let cost = measure(round);
    assert_eq!((cost.count_current, cost.bytes_current), (0, 0));
    assert!(cost.bytes_max > 1024 * UNREAD as u64, "{cost:?}");
}

// MEM-43, MEM-44, MEM-72: a full log replaces and does not grow.
#[test]
fn retention_holds_to_the_stated_number() {
    const MESSAGES: usize = 1_000;
    let both = Retention::MessagesAndBytes {
        messages: nonzero!(5_000),
        bytes: nonzero!(1_024_000),
    };
    for retention in [
        Retention::Messages(nonzero!(1_000)),
        Retention::Bytes(nonzero!(1_024_000)),
        both,
    ] {
        let broker = MemoryBroker::retaining(retention);
        let publisher = broker.publisher();
        let filled = measure(|| publish(&publisher, "parcels", &KIB, 2 * MESSAGES));
        let more = measure(|| publish(&publisher, "parcels", &KIB, 100 * MESSAGES));

        let payloads = 1024 * i64::try_from(MESSAGES).expect("small");
        // A message has at most as much again for its place in the log.
        let held = payloads..payloads + payloads / 4;
        assert!(
            held.contains(&filled.bytes_current),
            "{retention:?}: {filled:?}"
        );
        assert_eq!(
            (more.count_current, more.bytes_current),
            (0, 0),
            "{retention:?}"
        );
    }
}

// MEM-58, CORE-190
#[test]
fn building_a_context_allocates_nothing() {
    let broker = MemoryBroker::retaining(Retention::Messages(nonzero!(1)));
    let mut parcels = broker.subscribe("parcels");
    publish(&broker.publisher(), "parcels", b"body", 1);
    let parcel = parcels.stream().next().now_or_never().flatten();
    let parcel = parcel.expect("queued").expect("infallible");
    let cost = measure(|| drop(MemoryContext::build(&parcel)));
    assert_eq!(cost.count_total, 0);
}
