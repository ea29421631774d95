//! Codecs: JSON unless something else is said, of a broker, of one position, or of one message.

use std::error::Error;

use ruststream::codec::{CborCodec, MsgpackCodec};
use ruststream::memory::prelude::*;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

#[derive(Serialize, Deserialize, Outgoing)]
#[outgoing(name = "parcels.scanned")]
struct Scan {
    parcel: u64,
}

#[derive(Serialize, Deserialize, Outgoing)]
#[outgoing(name = "parcels.located")]
struct Located {
    parcel: u64,
}

/// The payload as it came, whatever codec wrote it.
#[derive(Deserialized)]
struct Payload<'a>(&'a [u8]);

static DONE: Notify = Notify::const_new();

/// Decodes with the codec of its broker: CBOR, below.
#[subscriber("parcels.scanned", reply)]
async fn locate(scan: &Scan) -> Located {
    println!("decoded: parcel {}", scan.parcel);
    Located {
        parcel: scan.parcel,
    }
}

#[subscriber("parcels.located")]
async fn show(payload: &Payload<'_>) {
    println!("the answer: {}", payload.0.escape_ascii());
    DONE.notify_one();
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let bus = MemoryBroker::new();
    let publisher = bus.publisher();
    let app = RustStream::new(AppInfo::new("depot", "0.1.0"))
        // What its handlers decode with, and what their slots encode with.
        .with_broker_codec(bus, CborCodec, |b| {
            // Replies have a codec of their own.
            b.include(locate).out_reply(Publish).codec(MsgpackCodec);
            b.include(show);
        });
    let running = app.start().await?;

    let scan = Scan { parcel: 7 };
    publisher
        .message(&scan)
        .with_codec(CborCodec)
        .publish()
        .await?;

    DONE.notified().await;
    running.shutdown().await?;
    Ok(())
}
