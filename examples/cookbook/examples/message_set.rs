//! Several kinds of messages on one subscription: a set, of which a header says the kind.

use std::error::Error;

use ruststream::memory::prelude::*;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

#[derive(Serialize)]
struct Kind {
    kind: &'static str,
}

#[derive(Serialize, Deserialize, MessageInfo)]
struct Scan {
    parcel: u64,
}

#[derive(Serialize, Deserialize, MessageInfo)]
struct ScannerDown {
    scanner: String,
}

/// Without a rule the variants would be tried in order, and the first that decodes would win.
#[derive(InMessages)]
#[in_messages(header = "kind")]
enum Event {
    #[in_messages(value = "scan")]
    Scan(Scan),
    #[in_messages(value = "down")]
    Down(ScannerDown),
}

static DONE: Notify = Notify::const_new();

#[subscriber("scanners")]
async fn watch(event: &Event) {
    match event {
        Event::Scan(scan) => println!("parcel {}", scan.parcel),
        Event::Down(down) => {
            println!("scanner {} is down", down.scanner);
            DONE.notify_one();
        }
    }
}

#[derive(Serialize, Outgoing)]
#[outgoing(name = "scanners", headers = Kind)]
#[serde(untagged)]
enum Report {
    Scan(Scan),
    Down(ScannerDown),
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let bus = MemoryBroker::new();
    let publisher = bus.publisher();
    let app = RustStream::new(AppInfo::new("depot", "0.1.0")).with_broker(bus, |b| {
        b.include(watch);
    });
    let running = app.start().await?;

    let scanner = "gate 3".to_owned();
    for (kind, report) in [
        ("scan", Report::Scan(Scan { parcel: 7 })),
        // A kind that nobody declared does not decode, and is dropped.
        ("song", Report::Scan(Scan { parcel: 8 })),
        ("down", Report::Down(ScannerDown { scanner })),
    ] {
        publisher
            .message(&report)
            .with_headers(&Kind { kind })
            .publish()
            .await?;
    }

    DONE.notified().await;
    running.shutdown().await?;
    Ok(())
}
