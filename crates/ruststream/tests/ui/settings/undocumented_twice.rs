// RUN-182, RUN-475: a second `undocumented()`
use ruststream::memory::prelude::*;

struct OnParcel;

impl Handle<u64> for OnParcel {
    async fn handle(
        &self,
        _id: &u64,
        _outs: &(),
        _ctx: &mut Context<'_>,
    ) -> Result<(), HandlerOutcome> {
        Ok(())
    }
}

fn main() {
    let _ = subscriber("parcels", OnParcel)
        .undocumented()
        .undocumented();
}
