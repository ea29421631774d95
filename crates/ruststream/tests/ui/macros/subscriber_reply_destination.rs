// PUB-304, PUB-305
use ruststream::{Outgoing, subscriber};
use serde::{Deserialize, Serialize};

#[derive(Deserialize)]
struct Parcel;

#[derive(Serialize)]
struct Undeclared;

#[derive(Serialize, Outgoing)]
#[outgoing(name = "depot.{city}.labels")]
struct Templated;

#[subscriber("parcels", reply("labels"))]
async fn undeclared(_parcel: &Parcel) -> Undeclared {
    Undeclared
}

#[subscriber("parcels", reply("labels"))]
async fn templated(_parcel: &Parcel) -> Templated {
    Templated
}

fn main() {}
