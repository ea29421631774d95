//! An extractor of one's own: a parameter made of the delivery, which may settle it instead.

use std::error::Error;

use ruststream::memory::prelude::*;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

#[derive(Serialize)]
struct By {
    caller: String,
}

#[derive(Serialize, Deserialize, Outgoing)]
#[outgoing(name = "parcels.opened", headers = By)]
struct Opened {
    parcel: u64,
}

/// Who asks. Strangers are refused.
struct Caller(String);

impl<C: Send, S: Send + Sync> FromContext<C, S> for Caller {
    type Rejection = HandlerOutcome;

    async fn from_context(ctx: &mut Context<'_, C, S>) -> Result<Self, HandlerOutcome> {
        match ctx.headers().get_str("caller") {
            Some(caller) if caller != "stranger" => Ok(Self(caller.to_owned())),
            _ => {
                println!("a stranger is refused");
                Err(HandlerOutcome::drop())
            }
        }
    }
}

static DONE: Notify = Notify::const_new();

/// Runs only where every extractor agrees.
#[subscriber("parcels.opened")]
async fn log(opened: &Opened, Caller(caller): Caller) {
    println!("{caller} opened parcel {}", opened.parcel);
    DONE.notify_one();
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let bus = MemoryBroker::new();
    let publisher = bus.publisher();
    let app = RustStream::new(AppInfo::new("depot", "0.1.0")).with_broker(bus, |b| {
        b.include(log);
    });
    let running = app.start().await?;

    for caller in ["stranger", "customs"] {
        let by = By {
            caller: caller.to_owned(),
        };
        publisher
            .message(&Opened { parcel: 7 })
            .with_headers(&by)
            .publish()
            .await?;
    }

    DONE.notified().await;
    running.shutdown().await?;
    Ok(())
}
