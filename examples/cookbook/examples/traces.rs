//! Traces: the trace of a message goes on in what its handler publishes.

use std::error::Error;

use ruststream::memory::prelude::*;
use ruststream::otel::OpenTelemetry;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

/// What W3C calls the header of a trace: version, trace, span, flags.
#[derive(Serialize)]
struct Trace {
    traceparent: &'static str,
}

#[derive(Serialize, Deserialize, Outgoing)]
#[outgoing(name = "parcels.scanned", headers = Trace)]
struct Scan {
    parcel: u64,
}

#[derive(Serialize, Deserialize, Outgoing)]
#[outgoing(name = "parcels.located")]
struct Located {
    parcel: u64,
}

static DONE: Notify = Notify::const_new();

#[subscriber("parcels.scanned", reply)]
async fn locate(scan: &Scan) -> Located {
    Located {
        parcel: scan.parcel,
    }
}

#[subscriber("parcels.located")]
async fn announce(located: &Located, ctx: &mut Context<'_>) {
    let trace = ctx
        .headers()
        .get_str("traceparent")
        .and_then(|header| header.split('-').nth(1));
    println!(
        "parcel {} is of trace {}",
        located.parcel,
        trace.unwrap_or("none")
    );
    DONE.notify_one();
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let bus = MemoryBroker::new();
    let publisher = bus.publisher();
    // Needs no set-up. To export spans, `Otel::builder()..init()` at the start of `main`.
    let telemetry = OpenTelemetry::new();
    let app = RustStream::new(AppInfo::new("depot", "0.1.0"))
        .layer(telemetry.consume_layer())
        .with_broker(bus, |b| {
            b.include(locate)
                .out_reply(Publish)
                .transform(telemetry.propagation());
            b.include(announce);
        });
    let running = app.start().await?;

    let trace = Trace {
        traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    };
    publisher
        .message(&Scan { parcel: 7 })
        .with_headers(&trace)
        .publish()
        .await?;

    DONE.notified().await;
    running.shutdown().await?;
    Ok(())
}
