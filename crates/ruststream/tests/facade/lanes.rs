//! Byte lanes written by hand, with nothing but the prelude: no macro, no codec.

use std::convert::Infallible;

use ruststream::prelude::*;

/// A view of a payload.
struct Scan<'a>(&'a [u8]);

impl Deserialized for Scan<'_> {
    type Output<'a> = Scan<'a>;
    type Error = Infallible;

    fn from_payload(payload: &[u8]) -> Result<Scan<'_>, Infallible> {
        Ok(Scan(payload))
    }
}

impl Input for Scan<'_> {
    type Axis = SoloDeserialized<Scan<'static>>;
}

/// A value that is its own bytes.
struct Label(Vec<u8>);

impl Serialized for Label {
    type Error = Infallible;

    fn wire_bytes(&self, _buf: &mut BytesMut) -> Result<WireBytes<'_>, Infallible> {
        Ok(WireBytes::Own(&self.0))
    }
}

impl MessageWire for Label {
    type Wire = SerializedWire;
}

impl ReplyShape for Label {
    type Body = Self;
    type Headers = ();
    type Wire = SerializedReply;
}

impl OutgoingDestination for Label {
    type Form = CallerName;
}

impl MessageHeaders for Label {
    type Contract = NoHeaders;
}

struct Print;

impl Handle<Scan<'_>, Label> for Print {
    async fn handle(
        &self,
        scan: &Scan<'_>,
        (): &(),
        _: &mut Context<'_>,
    ) -> Result<Label, HandlerOutcome> {
        Ok(Label(scan.0.to_ascii_uppercase()))
    }
}

// CORE-225, CORE-220
#[tokio::test]
async fn a_body_of_bytes_is_mounted_and_answers_in_bytes() {
    use futures_util::StreamExt;
    use ruststream::memory::MemoryBroker;
    use ruststream::{OutgoingMessage, Subscriber};

    let broker = MemoryBroker::new();
    let (publisher, mut labels) = (broker.publisher(), broker.subscribe("labels"));
    let app = RustStream::new(AppInfo::new("depot", "1.0.0")).with_broker(broker, |b| {
        b.include(subscriber("scans", Print).reply().to("labels").build());
    });
    let running = app.start().await.expect("starts");

    let scan = OutgoingMessage::new("scans", b"parcel 7");
    publisher.publish(scan, None).await.expect("publishes");

    let label = labels.stream().next().await.expect("open");
    assert_eq!(label.expect("infallible").payload(), b"PARCEL 7");
    running.shutdown().await.expect("stops");
}
