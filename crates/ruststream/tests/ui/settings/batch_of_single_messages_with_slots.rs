// RUN-156, RUN-475, MAC 5.2: `batch` on a body of one message with slots, by macro and by hand
use ruststream::memory::prelude::*;

#[subscriber("parcels")]
async fn on_parcel(_id: &u64, Out(_out): Out<impl Publisher>) {}

struct OnParcel;

impl<L: OutEntry<DefaultSlot>> Handle<u64, (), Outs<(L,)>> for OnParcel {
    async fn handle(
        &self,
        _id: &u64,
        _outs: &Outs<(L,)>,
        _ctx: &mut Context<'_>,
    ) -> Result<(), HandlerOutcome> {
        Ok(())
    }
}

fn main() {
    let _ = on_parcel.batch(nonzero!(8));
    let _ = subscriber("parcels", OnParcel).batch(nonzero!(8));
}
