//! Middleware around publishes: a layer sees all that leaves and may refuse; a transform changes one position.

use std::error::Error;

use ruststream::memory::prelude::*;
use ruststream::runtime::{Outgoing as Leaving, PublishLayer, PublishNext, PublishPipeline};
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

#[derive(Serialize, Deserialize, Outgoing)]
#[outgoing(name = "parcels.scanned")]
struct Scan {
    note: String,
}

#[derive(Serialize, Deserialize, Outgoing)]
#[outgoing(name = "labels")]
struct Label {
    text: String,
}

/// Refuses what is too large, with what it says.
#[derive(Clone)]
struct AtMost(usize);

impl PublishLayer for AtMost {
    async fn on_publish<'a, N: PublishPipeline, P: Publisher>(
        &'a self,
        out: &'a mut Leaving<'a>,
        next: PublishNext<'a, N, P>,
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        let size = out.payload().len();
        if size > self.0 {
            println!("refused: {size} bytes for {}", out.name());
            return Err(format!("{size} bytes are more than {}", self.0).into());
        }
        next.run(out).await
    }
}

/// Says who sent it.
struct Signed;

impl<K: ContextKind, Options> PublishTransform<K, Options> for Signed {
    type Destination = Reads;

    fn apply(&self, out: &mut Leaving<'_>, _: &mut Option<Options>, _: &K::View<'_>) {
        out.headers_mut().insert("sent-by", "depot");
    }
}

static DONE: Notify = Notify::const_new();

/// An answer that cannot be published is a retry of the message.
#[subscriber("parcels.scanned", reply)]
async fn label(scan: &Scan) -> Label {
    Label {
        text: scan.note.clone(),
    }
}

#[subscriber("labels")]
async fn print(printed: &Label, ctx: &mut Context<'_>) {
    let by = ctx.headers().get_str("sent-by").unwrap_or_default();
    println!("{}, sent by {by}", printed.text);
    DONE.notify_one();
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let bus = MemoryBroker::new();
    let publisher = bus.publisher();
    let app = RustStream::new(AppInfo::new("depot", "0.1.0"))
        .publish_layer(AtMost(30))
        .with_broker(bus, |b| {
            b.include(label)
                .max_attempts(nonzero!(1))
                .out_reply(Publish)
                .transform(Signed);
            b.include(print);
        });
    let running = app.start().await?;

    for note in ["a novel, from its first chapter on", "fragile"] {
        let note = note.to_owned();
        publisher.message(&Scan { note }).publish().await?;
    }

    DONE.notified().await;
    running.shutdown().await?;
    Ok(())
}
