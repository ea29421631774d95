// MAC-14
use ruststream::subscriber;

struct Parcel;

#[subscriber("parcels", workers(8, nope))]
async fn unknown_marker(parcel: &Parcel) {}

#[subscriber("parcels", workers(0))]
async fn no_workers(parcel: &Parcel) {}

#[subscriber("parcels", threads(0))]
async fn no_threads(parcel: &Parcel) {}

#[subscriber("parcels", workers(8, by_key))]
async fn keyed_batch(parcels: &[Parcel]) {}

fn main() {}
