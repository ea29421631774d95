//! Messages that are their own bytes: no codec runs, and nothing is copied to read them.

use std::error::Error;
use std::str::{self, Utf8Error};

use ruststream::memory::prelude::*;
use tokio::sync::Notify;

/// Leaves as these bytes.
#[derive(Serialized, Outgoing)]
#[outgoing(name = "frames")]
struct Frame(Vec<u8>);

/// The payload, borrowed.
#[derive(Deserialized)]
struct View<'a>(&'a [u8]);

/// A format of one's own: two functions, from bytes and to bytes.
#[derive(Deserialized, Serialized, Outgoing)]
#[outgoing(name = "words")]
#[wire(decode = read, encode = write)]
struct Words {
    words: Vec<String>,
}

fn read(payload: &[u8]) -> Result<Words, Utf8Error> {
    let words = str::from_utf8(payload)?
        .split(' ')
        .map(str::to_owned)
        .collect();
    Ok(Words { words })
}

fn write(words: &Words, buf: &mut BytesMut) {
    buf.extend_from_slice(words.words.join(" ").as_bytes());
}

static HANDLED: Notify = Notify::const_new();

#[subscriber("frames")]
async fn measure(frame: &View<'_>) {
    println!("{} bytes, the first is {}", frame.0.len(), frame.0[0]);
    HANDLED.notify_one();
}

#[subscriber("words")]
async fn count(words: &Words) {
    println!("{} words: {:?}", words.words.len(), words.words);
    HANDLED.notify_one();
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let bus = MemoryBroker::new();
    let publisher = bus.publisher();
    let app = RustStream::new(AppInfo::new("depot", "0.1.0")).with_broker(bus, |b| {
        b.include(measure);
        b.include(count);
    });
    let running = app.start().await?;

    publisher.message(&Frame(vec![255, 0, 1])).publish().await?;
    HANDLED.notified().await;

    let words = vec!["handle".to_owned(), "with".to_owned(), "care".to_owned()];
    publisher.message(&Words { words }).publish().await?;
    HANDLED.notified().await;

    running.shutdown().await?;
    Ok(())
}
