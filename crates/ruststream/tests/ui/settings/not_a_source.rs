// RUN-475, CORE-290: a value that is no subscription source
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
    let _ = subscriber(7, OnParcel).build();
}
