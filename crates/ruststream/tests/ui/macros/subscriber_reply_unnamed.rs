// MAC-13, PUB-305
use ruststream::{Outgoing, subscriber};
use serde::{Deserialize, Serialize};

#[derive(Deserialize)]
struct Parcel;

#[derive(Serialize, Outgoing)]
struct Label;

#[subscriber("parcels", reply)]
async fn label(_parcel: &Parcel) -> Label {
    Label
}

fn main() {}
