//! Compiles and runs what the guide shows: its pages are the documentation of this crate.

pub mod quakes;

use std::error::Error;

/// What a block of the guide comes to.
pub type Outcome = Result<(), Box<dyn Error>>;

/// Runs what shows that a block is true, on a clock that moves only when it is told to.
pub fn run(block: impl Future<Output = Outcome>) {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build()
        .expect("a runtime")
        .block_on(block)
        .expect("what the guide shows");
}

/// The pages; `scripts/guide` looks that none is left out.
#[cfg(doctest)]
mod pages {
    macro_rules! pages {
        ($($name:ident = $file:literal;)*) => {
            $(
                #[doc = include_str!(concat!(env!("OUT_DIR"), "/", $file))]
                pub struct $name;
            )*
        };
    }
    pages! {
        QuickStart = "quick-start.md";
        AService = "a-service.md";
        Handlers = "handlers.md";
        Publishing = "publishing.md";
        Retries = "retries.md";
        Batches = "batches.md";
        WorkersAndThreads = "workers-and-threads.md";
        Middleware = "middleware.md";
        StateAndExtractors = "state-and-extractors.md";
        Testing = "testing.md";
        Asyncapi = "asyncapi.md";
        CommandLine = "command-line.md";
        Observability = "observability.md";
        Operations = "operations.md";
        Limits = "limits.md";
        Troubleshooting = "troubleshooting.md";
        Brokers = "brokers.md";
        InProcess = "in-process.md";
        Nats = "nats.md";
        Migrating = "migrating.md";
        ComingFrom = "coming-from.md";
    }
}
