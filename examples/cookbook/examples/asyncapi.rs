//! The `AsyncAPI` document: what a service takes and publishes, made from its types and mounts.

use std::error::Error;

use ruststream::asyncapi::build_spec;
use ruststream::memory::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A parcel that a scanner saw.
#[derive(Deserialize, JsonSchema)]
struct Scan {
    parcel: u64,
}

/// Where a parcel is.
#[derive(Serialize, JsonSchema, Outgoing)]
#[outgoing(name = "parcels.located")]
struct Located {
    parcel: u64,
}

/// Says where a parcel is.
#[subscriber("parcels.scanned", reply)]
async fn locate(scan: &Scan) -> Located {
    Located {
        parcel: scan.parcel,
    }
}

fn depot() -> impl App {
    RustStream::new(AppInfo::new("depot", "0.1.0").description("Finds parcels"))
        .with_broker_labeled("local", MemoryBroker::new(), |b| {
            b.include(locate)
                .max_attempts(nonzero!(3))
                .dead_letter("parcels.scanned.dead");
        })
}

fn main() -> Result<(), Box<dyn Error>> {
    // Composes the service and starts nothing. With `#[ruststream::app]` the service's own command
    // does it: `depot asyncapi gen --yaml`.
    print!("{}", build_spec(&depot()).to_yaml()?);
    Ok(())
}
