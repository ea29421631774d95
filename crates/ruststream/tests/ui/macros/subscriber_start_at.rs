// MAC-16
use ruststream::subscriber;

struct Parcel;

#[subscriber("parcels", start_at())]
async fn nowhere(parcel: &Parcel) {}

#[subscriber("parcels", start_at(earliest()))]
async fn from_a_free_function(parcel: &Parcel) {}

fn main() {}
