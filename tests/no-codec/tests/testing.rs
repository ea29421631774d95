//! The harness and the suites are there without any codec.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ruststream::codec::{Codec, CodecError};
use ruststream::conformance::harness;
use ruststream::memory::prelude::*;
use ruststream::testing::TestApp;
use serde::Serialize;
use serde::de::DeserializeOwned;

#[derive(Deserialized)]
struct Scan<'a>(&'a [u8]);

#[derive(Serialized, Outgoing)]
struct Label(Vec<u8>);

#[subscriber("scans", reply("labels"))]
async fn label(scan: &Scan<'_>) -> Label {
    Label(scan.0.to_ascii_uppercase())
}

fn depot() -> impl App<State = ()> {
    RustStream::new(AppInfo::new("depot", "1.0.0")).with_broker(MemoryBroker::new(), |b| {
        b.include(label);
    })
}

/// Reads nothing.
struct Unreadable;

impl Codec for Unreadable {
    fn encode<T: Serialize>(&self, _value: &T) -> Result<BytesMut, CodecError> {
        Err(CodecError::Encode("unreadable".into()))
    }

    fn decode<T: DeserializeOwned>(&self, _bytes: &[u8]) -> Result<T, CodecError> {
        Err(CodecError::Decode("unreadable".into()))
    }
}

fn failure(assertion: impl FnOnce()) -> String {
    let failed = catch_unwind(AssertUnwindSafe(assertion)).expect_err("it must not hold");
    *failed.downcast::<String>().expect("a message")
}

// TEST-01: byte lanes need no codec, and what is handed one exists all the same.
#[tokio::test]
async fn a_service_is_tested_without_any_codec() {
    let tb = TestApp::start(depot()).await.expect("starts");
    let broker = tb.broker::<MemoryBroker>();
    let scan = Label(b"parcel 7".to_vec());
    broker
        .message(&scan)
        .to("scans")
        .publish()
        .await
        .expect("sends");

    let scans = || broker.subscriber("scans").assert_called_once();
    scans().with_raw(b"parcel 7").settled(HandlerOutcome::ack());
    let labels = || broker.published::<u32>("labels").assert_called_once();
    labels().with_raw(b"PARCEL 7");
    for told in [
        failure(|| drop(scans().with_codec(&Unreadable, &7_u32))),
        failure(|| drop(labels().with_codec(&Unreadable, &7_u32))),
    ] {
        assert!(
            told.contains("did not decode as u32: decode failed: unreadable"),
            "{told}"
        );
    }
    tb.shutdown().await.expect("stops");
}

// TEST-01
#[tokio::test]
async fn a_broker_is_held_to_the_contract_without_any_codec() {
    harness::run_suite(|| MemoryBroker::retaining(Retention::Messages(nonzero!(64)))).await;
}
