//! Middleware around handlers: a layer sees the delivery before it is decoded, and its outcome after.

use std::error::Error;

use ruststream::memory::prelude::*;
use ruststream::runtime::{BlanketLayer, Handler};
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

#[derive(Serialize, Deserialize, Outgoing)]
#[outgoing(name = "parcels.scanned")]
struct Scan {
    parcel: u64,
}

/// Says what goes in, and what comes out.
#[derive(Clone)]
struct Watch(&'static str);

struct Watched<H> {
    inner: H,
    name: &'static str,
}

impl<M, C, S, H> Handler<M, C, S> for Watched<H>
where
    M: Sync,
    C: Send,
    S: Send + Sync,
    H: Handler<M, C, S>,
{
    async fn handle(&self, message: &M, ctx: &mut Context<'_, C, S>) -> HandlerOutcome {
        println!("{}: into {}", self.name, ctx.name());
        let outcome = self.inner.handle(message, ctx).await;
        // What comes out may be changed here, and the inner one need not be called at all.
        let ends = if outcome.is_ack() {
            "acknowledged"
        } else {
            "not acknowledged"
        };
        println!("{}: {ends}", self.name);
        outcome
    }
}

/// Works around every handler, whatever it takes.
impl BlanketLayer for Watch {
    fn apply<M, C, S, H>(&self, handler: H) -> impl Handler<M, C, S> + 'static
    where
        M: Send + Sync + 'static,
        C: Send + 'static,
        S: Send + Sync + 'static,
        H: Handler<M, C, S> + 'static,
    {
        Watched {
            inner: handler,
            name: self.0,
        }
    }
}

static DONE: Notify = Notify::const_new();

#[subscriber("parcels.scanned")]
async fn register(scan: &Scan, ctx: &mut Context<'_>) -> HandlerOutcome {
    println!("parcel {}", scan.parcel);
    ctx.after_settle(async { DONE.notify_one() });
    HandlerOutcome::drop()
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let bus = MemoryBroker::new();
    let publisher = bus.publisher();
    let app = RustStream::new(AppInfo::new("depot", "0.1.0"))
        // The first is the outermost.
        .layer(Watch("outer"))
        .layer(Watch("inner"))
        .with_broker(bus, |b| {
            b.include(register);
        });
    let running = app.start().await?;

    publisher.message(&Scan { parcel: 7 }).publish().await?;

    DONE.notified().await;
    running.shutdown().await?;
    Ok(())
}
