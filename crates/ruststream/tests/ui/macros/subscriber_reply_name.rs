// MAC-13, PUB-300
use ruststream::{Outgoing, subscriber};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Outgoing)]
struct Parcel;

#[subscriber("parcels", reply(123))]
async fn numbered(_parcel: &Parcel) -> Parcel {
    Parcel
}

fn main() {}
