// RUN-152, RUN-153, RUN-155, RUN-160: every setting, by attribute, chain and hand, in any order
use ruststream::memory::prelude::*;
use ruststream::runtime::SubscriberBuilder;

#[subscriber(
    MemorySource::new("parcels"),
    on_failure(panic = drop, decode = retry),
    start_at(MemoryPosition::start()),
    threads(2, by_key)
)]
async fn by_attribute(_id: &u64) {}

#[subscriber]
async fn by_chain(_id: &u64) {}

#[subscriber("parcels", workers(2))]
async fn batches(_ids: &[u64]) {}

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

fn widened<D, Src, State>(builder: SubscriberBuilder<D, Src, State>) -> bool {
    builder.dispatch().by_key()
}

fn main() {
    let broker = MemoryBroker::retaining(Retention::Messages(nonzero!(16)));
    let _ = RustStream::new(AppInfo::new("depot", "1.0.0")).with_broker(broker, |b| {
        b.include(by_attribute);
        b.include(
            by_chain
                .name("parcels")
                .start_at(MemoryPosition::start())
                .threads_by_key(nonzero!(2))
                .map_source(|source| source)
                .on_failure(FailurePolicies::default()),
        );
        b.include(by_chain.workers(nonzero!(4)).name("parcels"));
        b.include(
            by_chain
                .name("parcels")
                .codec(ruststream::codec::JsonCodec)
                .threads(nonzero!(2)),
        );
        b.include(batches.batch(nonzero!(8)).start_at(MemoryPosition::start()));
        b.include(
            subscriber(Name::new("parcels"), ByHand)
                .describe("Counts parcels.")
                .undocumented()
                .workers_by_key(nonzero!(2))
                .start_at(MemoryPosition::start())
                .build(),
        );
        assert!(widened(
            subscriber("parcels", ByHand).workers_by_key(nonzero!(2))
        ));
    });
}
