//! A command line of one's own in front of the service's, which keeps `run` and `asyncapi gen`.

use std::process::ExitCode;

use ruststream::memory::prelude::*;
use ruststream::runtime::cli::run_main;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, JsonSchema, Outgoing)]
#[outgoing(name = "parcels.scanned")]
struct Scan {
    parcel: u64,
}

#[subscriber("parcels.scanned")]
async fn register(scan: &Scan) {
    println!("parcel {}", scan.parcel);
}

fn depot() -> impl App {
    RustStream::new(AppInfo::new("depot", "0.1.0")).with_broker(MemoryBroker::new(), |b| {
        b.include(register);
    })
}

/// `#[ruststream::app]` on `depot` would write a `main` that is the last line alone.
fn main() -> ExitCode {
    // Without an argument: what the service would do, without doing it.
    let Some(command) = std::env::args().nth(1) else {
        for handler in depot().handlers() {
            println!("takes {}", handler.name);
        }
        return ExitCode::SUCCESS;
    };
    if command == "version" {
        println!("depot {}", env!("CARGO_PKG_VERSION"));
        return ExitCode::SUCCESS;
    }
    // `run`, `asyncapi gen`, `help`, and an error for anything else.
    run_main(depot)
}
