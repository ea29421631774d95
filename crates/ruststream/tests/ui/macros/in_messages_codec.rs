// MAC-62, RUN-412
use ruststream::codec::JsonCodec;
use ruststream::memory::MemoryBroker;
use ruststream::runtime::{AppInfo, CodecDiscriminator, RustStream};
use ruststream::{InMessages, IncomingMessage, MessageInfo, subscriber};
use serde::Deserialize;

struct OtherCodec;

#[derive(Deserialize, MessageInfo)]
struct Parcel;

#[derive(InMessages)]
#[in_messages(discriminate_with_codec = OnlyOther)]
enum Set {
    Parcel(Parcel),
}

struct OnlyOther;

impl CodecDiscriminator<SetKind, OtherCodec> for OnlyOther {
    fn kind<M: IncomingMessage>(_codec: &OtherCodec, _msg: &M) -> Option<SetKind> {
        Some(SetKind::Parcel)
    }
}

#[subscriber("parcels")]
async fn take(_set: &Set) {}

fn main() {
    let _ = JsonCodec;
    let _ = RustStream::new(AppInfo::new("parcels", "1.0.0")).with_broker(MemoryBroker::new(), |b| {
        b.include(take);
    });
}
