// RUN-215, RUN-475, API-36: a documented input without a schema, in a scope and on a router
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;
use serde::Deserialize;

#[derive(Deserialize)]
struct Parcel;

struct OnParcel;

impl Handle<Parcel> for OnParcel {
    async fn handle(
        &self,
        _parcel: &Parcel,
        _outs: &(),
        _ctx: &mut Context<'_>,
    ) -> Result<(), HandlerOutcome> {
        Ok(())
    }
}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(subscriber("parcels", OnParcel).build());
}

fn route() {
    let _ = Router::<MemoryBroker>::new().include(subscriber("parcels", OnParcel).build());
}

fn main() {}
