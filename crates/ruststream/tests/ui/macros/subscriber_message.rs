// MAC-20
use ruststream::subscriber;

struct Parcel;

#[subscriber("parcels")]
async fn nothing() {}

#[subscriber("parcels")]
async fn by_value(parcel: Parcel) {}

#[subscriber("parcels")]
async fn bytes(payload: &[u8]) {}

#[subscriber("parcels")]
async fn batch_of_bytes(payloads: &[&[u8]]) {}

struct Depot;

impl Depot {
    #[subscriber("parcels")]
    async fn method(&self, parcel: &Parcel) {}
}

fn main() {}
