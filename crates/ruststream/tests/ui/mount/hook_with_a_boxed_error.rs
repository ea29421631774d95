// RUN-050: a hook fails with one type that is an error
use std::error::Error;

use ruststream::memory::prelude::*;

fn unsendable() -> Result<(), Box<dyn Error>> {
    Ok(())
}

fn boxed() -> Result<(), Box<dyn Error + Send + Sync>> {
    Ok(())
}

fn service() -> impl App {
    RustStream::new(AppInfo::new("depot", "1.0.0"))
        .after_startup(async |_state| unsendable())
        .on_shutdown(async |_state| boxed())
        .with_broker(MemoryBroker::new(), |b| {
            b.after_startup(Publish, async |_publisher| boxed());
        })
}

fn state() -> impl App {
    RustStream::new(AppInfo::new("depot", "1.0.0"))
        .on_startup(async |()| Err::<(), _>("no ledger"))
        .register_broker(MemoryBroker::new())
}

fn main() {}
