//! Tests of services and of broker crates: the production application, run inside a test.
//!
//! With the feature `testing`, `TestApp` starts the application that `main` runs, on the in-process
//! transport of each of its brokers or against the real servers. A send returns once everything it
//! caused has come to rest, so a test asks what happened without waiting for it. A service turns
//! the feature on in `[dev-dependencies]`, together with the `testing` feature of its broker crate.
//!
//! ```
//! # #[cfg(all(feature = "testing", feature = "memory", feature = "macros", feature = "json"))]
//! # mod depot {
//! use ruststream::memory::MemoryBroker;
//! use ruststream::prelude::*;
//! use ruststream::testing::TestApp;
//!
//! #[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize, Outgoing)]
//! struct Scan {
//!     parcel: u64,
//!     weight_g: u32,
//! }
//!
//! #[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize, Outgoing)]
//! #[outgoing(name = "routes")]
//! struct Routed {
//!     parcel: u64,
//!     lane: u32,
//! }
//!
//! #[subscriber("scans", reply)]
//! async fn route(scan: &Scan) -> Routed {
//!     Routed { parcel: scan.parcel, lane: scan.weight_g / 300 }
//! }
//!
//! fn depot() -> RustStream {
//!     RustStream::new(AppInfo::new("depot", "1.0.0")).with_broker(MemoryBroker::new(), |b| {
//!         b.include(route);
//!     })
//! }
//!
//! // #[tokio::test]
//! async fn a_scanned_parcel_is_routed() -> Result<(), Box<dyn std::error::Error>> {
//!     let tb = TestApp::start(depot()).await?;
//!     let broker = tb.broker::<MemoryBroker>();
//!     broker.message(&Scan { parcel: 41, weight_g: 900 }).to("scans").publish().await?;
//!
//!     broker.subscriber("scans").assert_called_once().settled(HandlerOutcome::ack());
//!     broker.published::<Routed>("routes").assert_called_once()
//!         .with(&Routed { parcel: 41, lane: 3 });
//!     tb.shutdown().await?;
//!     Ok(())
//! }
//! # }
//! ```
//!
//! A broker crate implements `InProcess` and `TestableBroker`, and calls
//! `register_testable_broker!` under its own `testing` feature.

#[cfg(feature = "testing")]
pub use ruststream_testing::{
    Backlog, BrokerHandle, Coordinator, InProcess, InjectSink, Outcome, PublishedAssertions,
    SubscriberAssertions, TestApp, TestBrokers, TestError, TestableBroker, TestableRegistration,
    expect_published,
};
