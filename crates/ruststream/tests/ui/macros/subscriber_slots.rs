// MAC-23, PUB-500
use ruststream::subscriber;

struct Parcel;
struct Label;
struct Audit;
struct Billing;
struct Archive;
struct Customs;

#[subscriber("parcels")]
async fn concrete(parcel: &Parcel, Out(out): Out<MemoryPublisher>) {}

#[subscriber("parcels")]
async fn no_capability(parcel: &Parcel, Out(out): Out) {}

#[subscriber("parcels")]
async fn one_marker_twice(
    parcel: &Parcel,
    Out(one): Out<impl Publisher, Audit>,
    Out(two): Out<impl Publisher, Audit>,
) {
}

#[subscriber("parcels")]
async fn four_slots(
    parcel: &Parcel,
    Out(one): Out<impl Publisher, Audit>,
    Out(two): Out<impl Publisher, Billing>,
    Out(three): Out<impl Publisher, Archive>,
    Out(four): Out<impl Publisher, Customs>,
) {
}

#[subscriber("parcels")]
async fn five_messages(
    parcel: &Parcel,
    Out(out): Out<impl Publisher, Audit, (Parcel, Label, Audit, Billing, Archive)>,
) {
}

#[subscriber("parcels")]
async fn a_message_twice(
    parcel: &Parcel,
    Out(out): Out<impl Publisher, Audit, (Parcel, Label, Parcel)>,
) {
}

fn main() {}
