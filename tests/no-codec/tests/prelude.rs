//! The prelude alone is enough to write a service by hand, beside the macros of the same names
//! (RUN-003).

use std::convert::Infallible;

use ruststream::prelude::*;

struct Scan<'a>(&'a [u8]);

impl Deserialized for Scan<'static> {
    type Output<'a> = Scan<'a>;
    type Error = Infallible;

    fn from_payload(payload: &[u8]) -> Result<Scan<'_>, Infallible> {
        Ok(Scan(payload))
    }
}

impl Input for Scan<'_> {
    type Axis = SoloDeserialized<Scan<'static>>;
}

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

impl MessageInfo for Label {
    const NAME: &'static str = "label";
}

impl MessageHeaders for Label {
    type Contract = NoHeaders;
}

impl OutgoingDestination for Label {
    type Form = FixedName;
    const DESTINATION: &'static str = "labels";
}

struct Audit;

impl OutSlot for Audit {
    const NAME: &'static str = "audit";
    type Destination = Names;
}

impl PublishedThrough<Audit> for Label {}

impl OutMessages<Audit> for Label {
    fn outgoing() -> Vec<OutgoingMessageMetadata> {
        Vec::new()
    }
}

struct Depot {
    seen: tokio::sync::mpsc::UnboundedSender<Vec<u8>>,
}

#[derive(Clone)]
struct Seen(tokio::sync::mpsc::UnboundedSender<Vec<u8>>);

impl FromRef<Depot> for Seen {
    fn from_ref(depot: &Depot) -> Self {
        Self(depot.seen.clone())
    }
}

struct Tenant(String);

impl<C: Send, S: Sync> FromContext<C, S> for Tenant {
    type Rejection = HandlerOutcome;

    async fn from_context(ctx: &mut Context<'_, C, S>) -> Result<Self, HandlerOutcome> {
        match ctx.headers().get_str("tenant") {
            Some(tenant) => Ok(Self(tenant.to_owned())),
            None => Err(HandlerOutcome::drop()),
        }
    }
}

#[derive(Clone)]
struct Weigh;

impl Handle<Scan<'_>, Label, (), (), Depot> for Weigh {
    async fn handle(
        &self,
        scan: &Scan<'_>,
        _outs: &(),
        ctx: &mut Context<'_, (), Depot>,
    ) -> Result<Label, HandlerOutcome> {
        let Tenant(tenant) = Tenant::from_context(ctx).await?;
        let Seen(seen) = Seen::from_ref(ctx.state());
        let _ = seen.send(tenant.into_bytes());
        Ok(Label(scan.0.to_ascii_uppercase()))
    }
}

// A slot encodes, so a body that has one isn't mounted without a codec; it can be written.
#[allow(dead_code)]
struct Note;

#[allow(dead_code)]
impl<L> Handle<Scan<'_>, (), Outs<(L,)>, (), Depot> for Note
where
    L: OutEntry<Audit, Wire: Publisher>,
{
    async fn handle(
        &self,
        scan: &Scan<'_>,
        outs: &Outs<(L,)>,
        _ctx: &mut Context<'_, (), Depot>,
    ) -> Result<(), HandlerOutcome> {
        let label = Label(scan.0.to_vec());
        outs.get(Audit)
            .message(&label)
            .publish()
            .await
            .map_err(|_| HandlerOutcome::retry())
    }
}

// The attribute beside the function, and the derives beside the traits, of the same names.
#[derive(Deserialized)]
struct Seal<'a>(&'a [u8]);

#[derive(Serialized, Outgoing)]
struct Stamp(Vec<u8>);

#[subscriber("labels")]
async fn on_label(label: &Seal<'_>, State(Seen(seen)): State<Seen>) {
    let _ = seen.send(label.0.to_vec());
}

#[subscriber("stamps")]
async fn on_stamp(stamp: &Seal<'_>, State(Seen(seen)): State<Seen>) {
    let _ = seen.send(stamp.0.to_vec());
}

// RUN-003
#[tokio::test]
async fn a_service_by_hand_needs_the_prelude_alone() {
    let broker = ruststream::memory::MemoryBroker::new();
    let publisher = broker.publisher();
    let (seen, mut delivered) = tokio::sync::mpsc::unbounded_channel();
    let app = RustStream::new(AppInfo::new("depot", "1.0.0"))
        .on_startup(async move |()| Ok::<_, Infallible>(Depot { seen }))
        .with_broker(broker, |b| {
            b.include(subscriber("scans", Weigh).reply().build());
            b.include(on_label);
            b.include(on_stamp);
        })
        .start()
        .await
        .expect("starts");

    let mut headers = HeaderMap::new();
    headers.insert("tenant", "north");
    let scan = ruststream::OutgoingMessage::new("scans", b"parcel 7").with_headers(headers);
    publisher.publish(scan, None).await.expect("publishes");
    assert_eq!(delivered.recv().await.as_deref(), Some(&b"north"[..]));
    assert_eq!(delivered.recv().await.as_deref(), Some(&b"PARCEL 7"[..]));

    publisher
        .message(&Stamp(b"sealed".to_vec()))
        .to("stamps")
        .publish()
        .await
        .expect("publishes");
    assert_eq!(delivered.recv().await.as_deref(), Some(&b"sealed"[..]));

    app.shutdown().await.expect("stops");
}
