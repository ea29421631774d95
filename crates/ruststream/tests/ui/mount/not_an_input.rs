// RUN-475, CORE-290: a body that takes what no lane makes, by macro and by hand
use ruststream::memory::prelude::*;

struct Parcel;

#[subscriber("parcels")]
async fn on_parcel(_parcel: &Parcel) {}

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

fn main() {}
