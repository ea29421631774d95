//! Several messages at once, and those of one key in their order: keyed workers.

use std::error::Error;
use std::sync::Mutex;

use ruststream::memory::prelude::*;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

/// Travels in the headers; `partition-key` is what the in-process broker calls a key.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Key {
    partition_key: String,
}

#[derive(Serialize, Deserialize, Outgoing)]
#[outgoing(name = "parcels.moved", headers = Key)]
struct Moved {
    parcel: char,
    step: u32,
}

static STEPS: Mutex<Vec<(char, u32)>> = Mutex::new(Vec::new());
static DONE: Notify = Notify::const_new();

#[subscriber("parcels.moved", workers(4, by_key))]
async fn track(moved: &Moved) {
    // The first step takes the longest: without keys the others would overtake it.
    for _ in moved.step..4 {
        tokio::task::yield_now().await;
    }
    let mut steps = STEPS.lock().expect("nobody panics");
    steps.push((moved.parcel, moved.step));
    if steps.len() == 6 {
        DONE.notify_one();
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let bus = MemoryBroker::new();
    let publisher = bus.publisher();
    let app = RustStream::new(AppInfo::new("depot", "0.1.0")).with_broker(bus, |b| {
        b.include(track);
    });
    let running = app.start().await?;

    for step in 1..=3 {
        for parcel in ['A', 'B'] {
            let key = Key {
                partition_key: parcel.to_string(),
            };
            let moved = Moved { parcel, step };
            publisher
                .message(&moved)
                .with_headers(&key)
                .publish()
                .await?;
        }
    }
    DONE.notified().await;
    running.shutdown().await?;

    let mut steps = STEPS.lock().expect("nobody panics");
    // Which parcel came first is anybody's guess; within a parcel it is not.
    steps.sort_by_key(|(parcel, _)| *parcel);
    println!("{steps:?}");
    Ok(())
}
