// PUB-502, PUB-505, MAC 5.3: a set with a member that is no message
use ruststream::memory::prelude::*;

struct Label;

#[derive(OutSlot)]
struct Audit;

#[derive(OutMessages)]
enum Goods {
    Label(Label),
}

#[subscriber("parcels")]
async fn forward(_id: &u64, Out(_out): Out<impl Publisher, Audit, Goods>) {}

fn main() {}
