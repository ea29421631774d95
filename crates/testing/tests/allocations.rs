//! What recording costs a test that counts the allocations of a publish. The counter sees all
//! threads, so this is a binary of its own, with one test.

use std::sync::{Arc, Mutex};

use ruststream::memory::{MemoryBroker, MemoryPublish};
use ruststream::prelude::*;
use ruststream::testing::TestApp;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<std::alloc::System> = &INSTRUMENTED_SYSTEM;

/// How many publishes the records have room for from the start.
const ROOM: usize = 1_000;

/// Publishes that are not counted.
const WARM: usize = 4;

#[derive(Debug, Clone, serde::Serialize, serde::Deserialize, Outgoing)]
struct Parcel {
    id: u32,
}

/// The allocations of each publish.
type Costs = Arc<Mutex<Vec<usize>>>;

#[derive(FromRef)]
struct Depot {
    costs: Costs,
}

#[subscriber("arrivals")]
async fn forward(
    parcel: &Parcel,
    Out(out): Out<impl Publisher>,
    State(costs): State<Costs>,
) -> HandlerOutcome {
    for _ in 0..ROOM {
        let region = Region::new(ALLOCATOR);
        let published = out.message(parcel).to("nobody").publish().await;
        let change = region.change();
        costs
            .lock()
            .unwrap()
            .push(change.allocations + change.reallocations);
        if published.is_err() {
            return HandlerOutcome::drop();
        }
    }
    HandlerOutcome::ack()
}

// TEST-85: live, where the in-process broker keeps no log that would grow as well.
#[tokio::test]
async fn recording_a_publish_costs_each_time_the_same() {
    let costs: Costs = Arc::new(Mutex::new(Vec::with_capacity(ROOM)));
    let state = Depot {
        costs: Arc::clone(&costs),
    };
    let app = RustStream::new(AppInfo::new("depot", "1.0.0"))
        .on_startup(async move |()| Ok::<_, std::io::Error>(state))
        .with_broker(MemoryBroker::new(), |b| {
            b.include(forward).out(DefaultSlot, MemoryPublish).build();
        });
    let tb = TestApp::start_live(app).await.unwrap();

    tb.publish("arrivals", &Parcel { id: 7 }).await.unwrap();

    let broker = tb.broker::<MemoryBroker>();
    broker.published::<Parcel>("nobody").assert_called(ROOM);
    let costs = costs.lock().unwrap();
    // The first ones warm buffers up, and leave one for the next.
    let (first, others) = costs[WARM..].split_first().unwrap();
    let differing = others.iter().position(|cost| cost != first);
    assert_eq!(differing, None, "not {first} but {costs:?}");
}
