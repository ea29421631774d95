// MAC-24, MAC-25, PUB-302
use ruststream::subscriber;

struct Parcel;
struct Label;

#[subscriber("parcels", reply("labels"))]
async fn one_for_a_batch(parcels: &[Parcel]) -> Label {}

#[subscriber("parcels", reply("labels"))]
async fn one_for_a_fallible_batch(parcels: &[Parcel]) -> Result<Label, HandlerOutcome> {}

#[subscriber("parcels", reply("labels"))]
async fn nothing_returned(parcel: &Parcel) {}

#[subscriber("parcels", reply())]
async fn nowhere(parcel: &Parcel) -> Label {}

#[subscriber("parcels", reply("labels"))]
async fn now_and_then(parcel: &Parcel) -> Option<Label> {}

fn main() {}
