//! A service of types that read and write their own bytes runs without any codec (PUB-134).

use std::time::Duration;

use ruststream::OutgoingMessage;
use ruststream::memory::prelude::*;
use tokio::sync::mpsc;
use tokio::time::timeout;

#[derive(Deserialized)]
struct Scan<'a>(&'a [u8]);

#[derive(Serialized, Outgoing)]
struct Label(Vec<u8>);

#[derive(Serialized, Outgoing)]
#[outgoing(name = "audit")]
struct Note(Vec<u8>);

#[derive(FromRef)]
struct Depot {
    seen: mpsc::UnboundedSender<Vec<u8>>,
}

#[subscriber("scans", reply("labels"))]
async fn label(scan: &Scan<'_>) -> Result<Label, HandlerOutcome> {
    if scan.0.is_empty() {
        return Err(HandlerOutcome::drop());
    }
    Ok(Label(scan.0.to_ascii_uppercase()))
}

#[subscriber("labels", workers(2))]
async fn on_label(scan: &Scan<'_>, State(seen): State<mpsc::UnboundedSender<Vec<u8>>>) {
    let _ = seen.send(scan.0.to_vec());
}

#[subscriber("audit")]
async fn on_notes(scans: &[Scan<'_>], State(seen): State<mpsc::UnboundedSender<Vec<u8>>>) {
    for scan in scans {
        let _ = seen.send(scan.0.to_vec());
    }
}

async fn next(seen: &mut mpsc::UnboundedReceiver<Vec<u8>>) -> Vec<u8> {
    timeout(Duration::from_secs(5), seen.recv())
        .await
        .expect("delivered")
        .expect("open")
}

// PUB-134, RUN-193, CORE-006, CORE-220
#[tokio::test]
async fn byte_inputs_replies_and_publishes_need_no_codec() {
    let broker = MemoryBroker::new();
    let publisher = broker.publisher();
    let (seen, mut delivered) = mpsc::unbounded_channel();
    let app = RustStream::new(AppInfo::new("depot", "1.0.0"))
        .on_startup(async move |()| Ok::<_, std::io::Error>(Depot { seen }))
        .with_broker(broker, |b| {
            b.include(label);
            b.include(on_label);
            b.include(on_notes.batch(nonzero!(8)));
        })
        .start()
        .await
        .expect("starts");

    publisher
        .publish(OutgoingMessage::new("scans", b"parcel 7"), None)
        .await
        .expect("publishes");
    assert_eq!(next(&mut delivered).await, b"PARCEL 7");

    let scope = publisher.begin().await.expect("begins");
    scope
        .message(&Note(b"noted".to_vec()))
        .publish()
        .await
        .expect("publishes");
    scope.commit().await.expect("commits");
    assert_eq!(next(&mut delivered).await, b"noted");

    app.shutdown().await.expect("stops");
}
