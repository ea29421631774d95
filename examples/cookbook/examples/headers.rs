//! Headers as types: declared by the message, written by the publish, read by the handler.

use std::error::Error;

use ruststream::memory::prelude::*;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

/// One field for each header. `Option` is a header that may be absent.
#[derive(Serialize, Deserialize)]
struct Origin {
    line: u64,
    scanner: Option<String>,
}

/// Without `.with_headers(&origin)` its publish does not compile.
#[derive(Serialize, Deserialize, Outgoing)]
#[outgoing(name = "parcels.scanned", headers = Origin)]
struct Scan {
    parcel: u64,
}

/// Answers need headers as well, where the type declares them: a pair of both.
#[derive(Serialize, Deserialize, Outgoing)]
#[outgoing(name = "parcels.checked", headers = Origin)]
struct Checked {
    parcel: u64,
}

static DONE: Notify = Notify::const_new();

/// Headers as a parameter: a header that is missing or malformed is a failure to decode.
#[subscriber("parcels.scanned", reply)]
async fn check(scan: &Scan, Headers(origin): Headers<Origin>) -> Message<Origin, Checked> {
    println!("check parcel {} of line {}", scan.parcel, origin.line);
    let body = Checked {
        parcel: scan.parcel,
    };
    let headers = Origin {
        scanner: Some("hand-held".to_owned()),
        ..origin
    };
    Message { headers, body }
}

/// Headers beside the message, which a batch can have too; and those that no type names.
#[subscriber("parcels.checked")]
async fn file(checked: &Message<Origin, Checked>, ctx: &mut Context<'_>) {
    let scanner = checked.headers.scanner.as_deref().unwrap_or("none");
    println!(
        "file parcel {} of line {}, scanner {scanner}",
        checked.body.parcel, checked.headers.line
    );
    println!(
        "as text: line={}",
        ctx.headers().get_str("line").unwrap_or_default()
    );
    DONE.notify_one();
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let bus = MemoryBroker::new();
    let publisher = bus.publisher();
    let app = RustStream::new(AppInfo::new("depot", "0.1.0")).with_broker(bus, |b| {
        b.include(check);
        b.include(file);
    });
    let running = app.start().await?;

    let origin = Origin {
        line: 4,
        scanner: None,
    };
    publisher
        .message(&Scan { parcel: 7 })
        .with_headers(&origin)
        .publish()
        .await?;

    DONE.notified().await;
    running.shutdown().await?;
    Ok(())
}
