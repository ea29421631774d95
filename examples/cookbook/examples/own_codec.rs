//! A codec of one's own: here JSON behind a checksum.

use std::error::Error;

use ruststream::codec::{Codec, CodecError, JsonCodec};
use ruststream::memory::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

#[derive(Clone)]
struct Checked;

fn checksum(bytes: &[u8]) -> u8 {
    bytes.iter().fold(0, |sum, byte| sum.wrapping_add(*byte))
}

impl Codec for Checked {
    const CONTENT_TYPE: &'static str = "application/x-checked-json";

    fn encode<T: Serialize>(&self, value: &T) -> Result<BytesMut, CodecError> {
        let mut bytes = JsonCodec.encode(value)?;
        let sum = checksum(&bytes);
        bytes.extend_from_slice(&[sum]);
        Ok(bytes)
    }

    fn decode<T: DeserializeOwned>(&self, bytes: &[u8]) -> Result<T, CodecError> {
        match bytes.split_last() {
            Some((sum, json)) if *sum == checksum(json) => JsonCodec.decode(json),
            _ => Err(CodecError::Decode("the checksum is wrong".into())),
        }
    }
}

#[derive(Serialize, Deserialize, Outgoing)]
#[outgoing(name = "parcels.scanned")]
struct Scan {
    parcel: u64,
}

static DONE: Notify = Notify::const_new();

#[subscriber("parcels.scanned")]
async fn register(scan: &Scan) {
    println!("parcel {}", scan.parcel);
    DONE.notify_one();
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let bus = MemoryBroker::new();
    let publisher = bus.publisher();
    let app =
        RustStream::new(AppInfo::new("depot", "0.1.0")).with_broker_codec(bus, Checked, |b| {
            b.include(register);
        });
    let running = app.start().await?;

    // Plain JSON has no checksum, so it is dropped.
    publisher.message(&Scan { parcel: 1 }).publish().await?;
    publisher
        .message(&Scan { parcel: 2 })
        .with_codec(Checked)
        .publish()
        .await?;

    DONE.notified().await;
    running.shutdown().await?;
    Ok(())
}
