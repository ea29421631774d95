// PUB 18: one mount that exercises most of the chapter
use ruststream::codec::JsonCodec;
use ruststream::memory::prelude::*;
use ruststream::runtime::{Outgoing as Sent, PublishContext};
use serde::{Deserialize, Serialize};

#[derive(Deserialize)]
struct Scan {
    id: u64,
    gate: u8,
    city: String,
}

#[derive(Serialize)]
struct ScanMeta {
    gate: u8,
}

#[derive(Serialize, Outgoing)]
#[outgoing(name = "depot.{city}.arrivals", headers = ScanMeta)]
struct Arrived {
    parcel: u64,
}

#[derive(Serialize, Outgoing)]
struct Label {
    parcel: u64,
}

#[derive(OutSlot)]
#[publishes(Arrived)]
struct Arrivals;

#[subscriber("parcels.scanned", reply("labels.print"))]
async fn scan(p: &Scan, Out(arr): Out<impl Publisher, Arrivals>) -> Result<Label, HandlerOutcome> {
    arr.message(&Arrived { parcel: p.id })
        .with_headers(&ScanMeta { gate: p.gate })
        .to()
        .city(&p.city)
        .publish()
        .await
        .map_err(|_| HandlerOutcome::retry())?;
    Ok(Label { parcel: p.id })
}

struct ToInbox;

impl<C, Options> PublishTransform<ForReply<C>, Options> for ToInbox {
    type Destination = Names;

    fn apply(&self, out: &mut Sent<'_>, _: &mut Option<Options>, cx: &PublishContext<'_, C>) {
        if let Some(inbox) = cx.headers().reply_to() {
            out.set_name(inbox.to_owned());
        }
    }
}

fn main() {
    let _ = RustStream::new(AppInfo::new("depot", "1.0.0")).with_broker(MemoryBroker::new(), |b| {
        b.include(scan)
            .out_reply(Publish)
            .transform(ToInbox)
            .out(Arrivals, Publish)
            .codec(JsonCodec)
            .build();
    });
}
