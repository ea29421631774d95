// RUN-182, RUN-215, MAC-38, API-36: without a schema, `.undocumented()` mounts, and so does the attribute
use ruststream::memory::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Deserialize)]
struct Parcel;

#[derive(Serialize, Outgoing)]
struct Label;

#[derive(Clone, Copy)]
struct Weigh;

impl Handle<Parcel, Label> for Weigh {
    async fn handle(
        &self,
        _parcel: &Parcel,
        _outs: &(),
        _ctx: &mut Context<'_>,
    ) -> Result<Label, HandlerOutcome> {
        Ok(Label)
    }
}

#[subscriber("parcels", reply("labels"))]
async fn weigh(_parcel: &Parcel) -> Label {
    Label
}

fn main() {
    let _ = RustStream::new(AppInfo::new("depot", "1.0.0")).with_broker(MemoryBroker::new(), |b| {
        b.include(
            subscriber("parcels", Weigh)
                .undocumented()
                .reply()
                .to("labels")
                .build(),
        );
        b.include(
            subscriber("parcels", Weigh)
                .reply()
                .undocumented()
                .to("labels")
                .build(),
        );
        b.include(weigh);
    });
}
