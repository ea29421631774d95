// CORE-190, CORE-195: a key of the context of a delivery, read from that of a batch, and of none
use ruststream::memory::prelude::*;

#[subscriber("parcels")]
async fn on_parcels(_ids: &[u64], ctx: &mut Context<'_, MemoryBatchContext>) {
    let _ = ctx.context(Position);
}

#[subscriber("parcels")]
async fn on_parcel(_id: &u64, ctx: &mut Context<'_>) {
    let _ = ctx.context(SeekHandle);
}

fn main() {}
