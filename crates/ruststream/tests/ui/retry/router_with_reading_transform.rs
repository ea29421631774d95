// RUN-135, RUN-475: a transform that names nothing names no destination
use ruststream::memory::prelude::*;
use ruststream::runtime::Outgoing;

#[path = "../support.rs"]
mod support;

struct Stamp;

impl<K: ContextKind, Options> PublishTransform<K, Options> for Stamp {
    type Destination = Reads;
    fn apply(&self, _: &mut Outgoing<'_>, _: &mut Option<Options>, _: &K::View<'_>) {}
}

#[subscriber(support::Filter::new("parcels.*"))]
async fn on_parcel(_id: &u64) {}

fn main() {
    let _ = Router::<MemoryBroker>::new()
        .include(on_parcel)
        .out_retry(Publish)
        .transform(Stamp)
        .build();
}
