// RUN-119, RUN-131, RUN-134, MAC-13, MAC-30: one definition, many mounts
use ruststream::Unnamed;
use ruststream::memory::prelude::*;
use serde::Serialize;

struct Depot;

#[derive(Serialize, Outgoing)]
#[outgoing(name = "labels")]
struct Label;

#[subscriber("parcels", reply("other"))]
async fn fixed_destination(_id: &u64) -> Label {
    Label
}

#[subscriber("parcels")]
fn not_async(_id: &u64) {}

#[subscriber]
async fn of_any_state(_id: &u64) {}

#[subscriber("parcels")]
async fn of_a_depot(_id: &u64, _ctx: &mut Context<'_, (), Depot>) {}

#[derive(Clone)]
struct ByHand;

impl Handle<u64> for ByHand {
    async fn handle(
        &self,
        _id: &u64,
        _outs: &(),
        _ctx: &mut Context<'_>,
    ) -> Result<(), HandlerOutcome> {
        Ok(())
    }
}

fn library() -> impl RouterDef<MemoryBroker> {
    Router::new()
        .include(not_async)
        .include(fixed_destination)
        .build()
}

fn depot() -> impl RouterDef<MemoryBroker, Depot> {
    Router::new().include(of_a_depot)
}

fn main() {
    let unnamed = subscriber(Unnamed::<Name>::new(), ByHand);
    let sealed = subscriber("parcels", ByHand).build();
    let shards: Vec<_> = (0..3).map(|_| sealed.clone()).collect();
    let _ = RustStream::new(AppInfo::new("depot", "1.0.0"))
        .with_broker(MemoryBroker::new(), |b| {
            b.include(fixed_destination);
            b.include(not_async);
            b.include(not_async);
            b.include(of_any_state.name("parcels"));
            b.include(of_any_state.name("letters"));
            b.include(unnamed.clone().name("parcels").build());
            b.include(unnamed.name("letters").build());
            for shard in shards {
                b.include(shard);
            }
            b.include_router(library());
            b.include_router(());
        })
        .with_broker_codec(MemoryBroker::new(), ruststream::codec::JsonCodec, |b| {
            b.include(not_async);
            b.include_router(library());
        });
    let _ = RustStream::new(AppInfo::new("depot", "1.0.0"))
        .on_startup(async |()| Ok::<_, std::io::Error>(Depot))
        .with_broker(MemoryBroker::new(), |b| {
            b.include(of_a_depot);
            b.include(not_async);
            b.include_router(depot());
        });
}
