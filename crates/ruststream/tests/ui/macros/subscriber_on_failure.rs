// MAC-15
use ruststream::subscriber;

struct Parcel;

#[subscriber("parcels", on_failure(panic = unknown))]
async fn misspelt_policy(parcel: &Parcel) {}

#[subscriber("parcels", on_failure())]
async fn nothing_named(parcel: &Parcel) {}

#[subscriber("parcels", on_failure(timeout = drop))]
async fn unknown_key(parcel: &Parcel) {}

#[subscriber("parcels", on_failure(decode = retry_after()))]
async fn no_delay(parcel: &Parcel) {}

fn main() {}
