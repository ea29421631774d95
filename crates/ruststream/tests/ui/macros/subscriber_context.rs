// MAC-20, MAC-21, MAC-22
use ruststream::subscriber;

struct Parcel;
struct Meta;

#[subscriber("parcels")]
async fn context_late(parcel: &Parcel, State(limit): State<u32>, ctx: &mut Context<'_>) {}

#[subscriber("parcels")]
async fn context_shared(parcel: &Parcel, ctx: &Context<'_>) {}

#[subscriber("parcels")]
async fn headers_of_a_batch(parcels: &[Parcel], Headers(meta): Headers<Meta>) {}

fn main() {}
