// MAC-26, "Open to improve"
use ruststream::subscriber;

struct Parcel;

#[subscriber("parcels")]
async fn generic<T>(parcel: &T) {}

#[subscriber("parcels")]
async fn bounded(parcel: &Parcel)
where
    Parcel: Clone,
{
}

#[subscriber("parcels")]
async unsafe fn dangerous(parcel: &Parcel) {}

#[subscriber("parcels")]
async fn exclusive(parcel: &mut Parcel) {}

#[subscriber("parcels")]
fn opaque(parcel: &Parcel) -> impl Future<Output = ()> {}

#[subscriber("parcels")]
struct NoFunction;

fn main() {}
