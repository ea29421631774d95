// PUB-210, PUB-509, CORE-274: a capability of a broker's own, grafted onto the slot from outside
use ruststream::PairError;
use ruststream::memory::ConnectedMemoryBroker;
use ruststream::memory::prelude::*;

struct LaneRouter;

trait Lanes {
    fn lane(&self, shard: u64) -> u64;
}

impl Lanes for LaneRouter {
    fn lane(&self, shard: u64) -> u64 {
        shard % 2
    }
}

impl<M, W: Lanes, E, Pipe, Body> Lanes for Slot<M, W, E, Pipe, Body> {
    fn lane(&self, shard: u64) -> u64 {
        (**self).lane(shard)
    }
}

fn chosen<L: Lanes>(lanes: &L, shard: u64) -> bool {
    lanes.lane(shard) == 0
}

struct LanePolicy;

impl PublishPolicy<ConnectedMemoryBroker> for LanePolicy {
    type Live = LaneRouter;

    async fn pair(self, _connected: &ConnectedMemoryBroker) -> Result<LaneRouter, PairError> {
        Ok(LaneRouter)
    }
}

#[derive(OutSlot)]
struct Shards;

#[subscriber("parcels")]
async fn by_attribute(id: &u64, Out(lanes): Out<impl Lanes, Shards>) -> HandlerOutcome {
    if chosen(lanes, *id) {
        HandlerOutcome::ack()
    } else {
        HandlerOutcome::drop()
    }
}

struct ByHand;

impl<L: OutEntry<Shards, Wire: Lanes>> Handle<u64, (), Outs<(L,)>> for ByHand {
    async fn handle(
        &self,
        id: &u64,
        outs: &Outs<(L,)>,
        _ctx: &mut Context<'_>,
    ) -> Result<(), HandlerOutcome> {
        if chosen(outs.get(Shards), *id) {
            Ok(())
        } else {
            Err(HandlerOutcome::drop())
        }
    }
}

fn main() {
    let routes = Router::new()
        .include(by_attribute)
        .out(Shards, LanePolicy)
        .build();
    let _ = RustStream::new(AppInfo::new("depot", "1.0.0")).with_broker(MemoryBroker::new(), |b| {
        b.include(by_attribute).out(Shards, LanePolicy).build();
        b.include(subscriber("parcels", ByHand).build())
            .out(Shards, LanePolicy)
            .build();
        b.include_router(routes);
    });
}
