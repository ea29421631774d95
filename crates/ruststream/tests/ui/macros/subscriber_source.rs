// MAC-11, MAC-12
use ruststream::subscriber;

struct Parcel;

#[subscriber(open("parcels"))]
async fn free_function(parcel: &Parcel) {}

#[subscriber(depot::open("parcels"))]
async fn free_function_of_a_module(parcel: &Parcel) {}

#[subscriber(7)]
async fn number(parcel: &Parcel) {}

#[subscriber(concat!("par", "cels"))]
async fn computed(parcel: &Parcel) {}

#[subscriber(TOPIC)]
async fn constant(parcel: &Parcel) {}

fn main() {}
