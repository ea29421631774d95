//! Threads of their own, for handlers that compute, and the main runtime for what must outlive them.

use std::error::Error;
use std::sync::OnceLock;
use std::thread::{self, ThreadId};

use ruststream::memory::prelude::*;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

#[derive(Serialize, Deserialize, Outgoing)]
#[outgoing(name = "labels")]
struct Label {
    text: String,
}

/// The thread of the runtime, which has one only.
static MAIN: OnceLock<ThreadId> = OnceLock::new();
static DONE: Notify = Notify::const_new();

fn here() -> &'static str {
    let main = MAIN.get() == Some(&thread::current().id());
    if main {
        "the thread of the service"
    } else {
        "a thread of its own"
    }
}

/// Computes, so it would hold up everyone else on the shared runtime.
#[subscriber("labels", threads(2))]
async fn checksum(label: &Label, Ctx(main): Ctx<MainRuntime>) {
    let sum = label.text.bytes().fold(0_u8, u8::wrapping_add);
    println!("checksum {sum} computed on {}", here());
    // What is spawned on a worker's thread ends with it; this does not.
    main.spawn(async {
        println!("and reported on {}", here());
        DONE.notify_one();
    });
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    MAIN.get_or_init(|| thread::current().id());
    let bus = MemoryBroker::new();
    let publisher = bus.publisher();
    let app = RustStream::new(AppInfo::new("depot", "0.1.0")).with_broker(bus, |b| {
        b.include(checksum);
    });
    let running = app.start().await?;

    let text = "handle with care".to_owned();
    publisher.message(&Label { text }).publish().await?;

    DONE.notified().await;
    running.shutdown().await?;
    Ok(())
}
