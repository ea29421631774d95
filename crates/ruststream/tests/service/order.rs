//! In which order deliveries are handled.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use ruststream::memory::prelude::*;
use ruststream::memory::{MemoryPublisher, PARTITION_KEY_HEADER};
use ruststream::{HeaderMap, OutgoingMessage};
use tokio::sync::Semaphore;
use tokio::task::yield_now;

use crate::support::service_with;

/// A seeded sequence; the same one in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

async fn send(publisher: &MemoryPublisher, number: u32, key: Option<String>) {
    let payload = BytesMut::from(number.to_string().as_bytes());
    let mut headers = HeaderMap::new();
    if let Some(key) = key {
        headers.insert(PARTITION_KEY_HEADER, key);
    }
    let message = OutgoingMessage::produced("parcels", payload).with_headers(headers);
    publisher.publish(message, None).await.expect("publishes");
}

#[derive(Clone)]
struct Handled {
    numbers: Arc<Mutex<Vec<u32>>>,
    count: Arc<Semaphore>,
}

impl Handled {
    fn new() -> Self {
        Self {
            numbers: Arc::default(),
            count: Arc::new(Semaphore::new(0)),
        }
    }
}

#[subscriber("parcels")]
async fn one_by_one(parcel: &u32, ctx: &mut Context<'_, (), Handled>) {
    if parcel.is_multiple_of(7) {
        yield_now().await;
    }
    ctx.state().numbers.lock().unwrap().push(*parcel);
    ctx.state().count.add_permits(1);
}

// RUN-221, RUN-223
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_messages_are_handled_in_the_order_of_their_publishing() {
    const COUNT: u32 = 10_000;
    let handled = Handled::new();
    let broker = MemoryBroker::new();
    let app = service_with(handled.clone()).with_broker(broker.clone(), |b| {
        b.include(one_by_one);
    });
    let running = app.start().await.expect("starts");

    for number in 0..COUNT {
        send(&broker.publisher(), number, None).await;
    }

    drop(handled.count.acquire_many(COUNT).await);
    running.shutdown().await.expect("stops");
    assert!(handled.numbers.lock().unwrap().iter().copied().eq(0..COUNT));
}

const KEYS: u32 = 50;
const ROUNDS: u32 = 20;

/// Watches each key: nothing of it may begin while something of it runs, and none may be out of turn.
#[derive(Clone)]
struct Watch {
    seed: u64,
    keys: Arc<HashMap<u32, Key>>,
    done: Arc<Semaphore>,
}

#[derive(Default)]
struct Key {
    busy: AtomicBool,
    rounds: Mutex<Vec<u32>>,
}

impl Watch {
    fn new(seed: u64) -> Self {
        Self {
            seed,
            keys: Arc::new((0..KEYS).map(|key| (key, Key::default())).collect()),
            done: Arc::new(Semaphore::new(0)),
        }
    }
}

async fn watched(number: u32, watch: &Watch) {
    let (key, round) = (&watch.keys[&(number % KEYS)], number / KEYS);
    assert!(
        !key.busy.swap(true, Ordering::SeqCst),
        "two of one key at once"
    );
    let mut dice = Dice((watch.seed << 32 | u64::from(number)) * 2 + 1);
    dice.below(2);
    for _ in 0..dice.below(6) {
        yield_now().await;
    }
    key.rounds.lock().unwrap().push(round);
    key.busy.store(false, Ordering::SeqCst);
    watch.done.add_permits(1);
}

#[subscriber("parcels", workers(8, by_key))]
async fn pooled(number: &u32, ctx: &mut Context<'_, (), Watch>) {
    watched(*number, ctx.state()).await;
}

#[subscriber("parcels", threads(4, by_key))]
async fn threaded(number: &u32, ctx: &mut Context<'_, (), Watch>) {
    watched(*number, ctx.state()).await;
}

async fn keys_keep_their_order(
    mount: impl Fn(
        &mut ruststream::runtime::BrokerScope<
            MemoryBroker,
            ruststream::runtime::Identity,
            (),
            Watch,
        >,
    ),
) {
    for seed in 0..20 {
        let watch = Watch::new(seed);
        let broker = MemoryBroker::new();
        let app = service_with(watch.clone()).with_broker(broker.clone(), &mount);
        let running = app.start().await.expect("starts");

        for number in 0..KEYS * ROUNDS {
            send(
                &broker.publisher(),
                number,
                Some(format!("key {}", number % KEYS)),
            )
            .await;
        }

        drop(watch.done.acquire_many(KEYS * ROUNDS).await);
        running.shutdown().await.expect("stops");
        for (key, handled) in &*watch.keys {
            let rounds = handled.rounds.lock().unwrap();
            assert!(
                rounds.iter().copied().eq(0..ROUNDS),
                "key {key}, seed {seed}: {rounds:?}"
            );
        }
    }
}

// RUN-221, RUN-225
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keyed_workers_keep_the_order_of_each_of_fifty_keys() {
    keys_keep_their_order(|b| drop(b.include(pooled))).await;
}

// RUN-221, RUN-227
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keyed_threads_keep_the_order_of_each_of_fifty_keys() {
    keys_keep_their_order(|b| drop(b.include(threaded))).await;
}
