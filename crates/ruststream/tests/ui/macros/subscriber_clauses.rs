// MAC-10, MAC-11
use ruststream::subscriber;

struct Parcel;

#[subscriber("parcels", retries(3))]
async fn unknown(parcel: &Parcel) {}

#[subscriber(publish_raw("labels"))]
async fn retired(parcel: &Parcel) {}

#[subscriber("parcels", reply, reply("labels"))]
async fn replies_twice(parcel: &Parcel) -> Parcel {}

#[subscriber("parcels", reply("labels"), publish("labels"))]
async fn under_both_spellings(parcel: &Parcel) -> Parcel {}

#[subscriber("parcels", workers(2), workers(3))]
async fn workers_twice(parcel: &Parcel) {}

#[subscriber("parcels", workers(2), threads(3))]
async fn workers_and_threads(parcel: &Parcel) {}

#[subscriber("parcels", max_attempts(3))]
async fn capped(parcel: &Parcel) {}

#[subscriber("parcels", dead_letter("parcels.dead"))]
async fn buried(parcel: &Parcel) {}

#[subscriber("parcels", batch(8))]
async fn in_batches(parcels: &[Parcel]) {}

fn main() {}
