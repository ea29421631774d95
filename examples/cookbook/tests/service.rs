//! How a service is tested: the application that `main` would run, in the process of the test.

use std::error::Error;
use std::time::Duration;

use ruststream::memory::prelude::*;
use ruststream::testing::TestApp;
use serde::{Deserialize, Serialize};

#[derive(Debug, PartialEq, Serialize, Deserialize, Outgoing)]
#[outgoing(name = "parcels.scanned")]
struct Scan {
    parcel: u64,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Outgoing)]
#[outgoing(name = "parcels.located")]
struct Located {
    parcel: u64,
}

/// Answers at once, but for parcel 13, which has to wait.
#[subscriber("parcels.scanned", reply)]
async fn locate(scan: &Scan) -> Result<Located, HandlerOutcome> {
    if scan.parcel == 13 {
        return Err(HandlerOutcome::retry_after(Duration::from_mins(1)));
    }
    Ok(Located {
        parcel: scan.parcel,
    })
}

fn depot() -> impl App {
    RustStream::new(AppInfo::new("depot", "0.1.0")).with_broker(MemoryBroker::new(), |b| {
        b.include(locate)
            .max_attempts(nonzero!(2))
            .dead_letter("parcels.lost");
    })
}

#[tokio::test]
async fn a_scan_is_answered() -> Result<(), Box<dyn Error>> {
    let service = TestApp::start(depot()).await?;
    let broker = service.broker::<MemoryBroker>();

    // Returns when everything that comes of the message is at rest.
    broker.message(&Scan { parcel: 7 }).publish().await?;

    broker
        .subscriber("parcels.scanned")
        .assert_called_once()
        .with(&Scan { parcel: 7 })
        .settled(HandlerOutcome::ack());
    broker
        .published::<Located>("parcels.located")
        .assert_called_once()
        .with(&Located { parcel: 7 });
    service.shutdown().await?;
    Ok(())
}

/// Time stands until the test moves it.
#[tokio::test(start_paused = true)]
async fn a_scan_that_has_to_wait_is_tried_twice() -> Result<(), Box<dyn Error>> {
    let service = TestApp::start(depot()).await?;
    let broker = service.broker::<MemoryBroker>();
    broker.message(&Scan { parcel: 13 }).publish().await?;
    broker.subscriber("parcels.scanned").assert_called_once();

    service.advance(Duration::from_mins(1)).await?;

    broker.subscriber("parcels.scanned").assert_called(2);
    broker
        .published::<Located>("parcels.located")
        .assert_not_called();
    broker
        .published::<Scan>("parcels.lost")
        .assert_called_once()
        .with(&Scan { parcel: 13 });
    service.shutdown().await?;
    Ok(())
}
