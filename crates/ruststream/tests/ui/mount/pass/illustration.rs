// RUN-120
use std::convert::Infallible;
use std::time::Duration;

use ruststream::memory::prelude::*;
use ruststream::runtime::RustStreamError;
use serde::Deserialize;

#[derive(Deserialize)]
struct ParcelScan;

struct Ledger;

impl Ledger {
    async fn record(&self, _scan: &ParcelScan) -> Result<(), Infallible> {
        Ok(())
    }
}

struct Depot {
    ledger: Ledger,
}

impl Depot {
    async fn open() -> Result<Self, Infallible> {
        Ok(Self { ledger: Ledger })
    }
}

struct RecordScan;

impl Handle<ParcelScan, (), (), (), Depot> for RecordScan {
    async fn handle(
        &self,
        scan: &ParcelScan,
        _outs: &(),
        ctx: &mut Context<'_, (), Depot>,
    ) -> Result<(), HandlerOutcome> {
        match ctx.state().ledger.record(scan).await {
            Ok(()) => Ok(()),
            Err(_) => Err(HandlerOutcome::retry_after(Duration::from_secs(5))),
        }
    }
}

async fn serve(broker: MemoryBroker) -> Result<(), RustStreamError> {
    let app = RustStream::new(AppInfo::new("depot", "1.0.0"))
        .on_startup(async move |()| Depot::open().await)
        .shutdown_timeout(Duration::from_secs(20))
        .with_broker(broker, |b| {
            b.include(
                subscriber("parcels.scanned", RecordScan)
                    .workers_by_key(nonzero!(8))
                    .on_failure(FailurePolicies::default().with_decode(FailurePolicy::Skip))
                    .build(),
            )
            .max_attempts(nonzero!(4u32))
            .dead_letter("parcels.dead");
        });
    app.run().await?;
    Ok(())
}

fn main() {
    drop(serve(MemoryBroker::new()));
}
