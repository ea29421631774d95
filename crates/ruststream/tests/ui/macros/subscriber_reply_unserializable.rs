// PUB-303
use ruststream::{Outgoing, subscriber};
use serde::Deserialize;

#[derive(Deserialize)]
struct Parcel;

#[derive(Outgoing)]
struct Label;

#[subscriber("parcels", reply("labels"))]
async fn label(_parcel: &Parcel) -> Label {
    Label
}

fn main() {}
