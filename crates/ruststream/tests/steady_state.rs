//! In steady state a delivery costs the framework no allocation.
//!
//! Each test runs a service over messages that exist already and compares what a run of n and one
//! of 2n messages allocate: the difference is what one more message costs.
#![cfg(all(feature = "macros", feature = "json"))]

use ruststream::prelude::*;
use ruststream::runtime::{
    App, BlanketLayer, Handler, Identity, PublishIdentity, RunningApp, Setup,
};
use serde::{Deserialize, Serialize};

#[path = "support/feed.rs"]
mod feed;

use feed::{Feed, Gauge};

const MESSAGES: usize = 500;

/// Allocations of one more message, in thousandths, exact.
fn allocations_of<A: App>(build: impl FnOnce(Feed) -> A) -> i64 {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let feed = Feed::default();
    let gauge = feed.0.clone();
    let running: RunningApp = runtime.block_on(build(feed).start()).expect("starts");
    let measured = |gauge: &Gauge, messages| {
        let info = allocation_counter::measure(|| runtime.block_on(gauge.run(messages)));
        i64::try_from(info.count_total).unwrap_or(i64::MAX)
    };
    // Buffers grow once, those of each worker when its turn comes.
    for _ in 0..8 {
        measured(&gauge, 2 * MESSAGES);
    }
    let once = measured(&gauge, MESSAGES);
    let twice = measured(&gauge, 2 * MESSAGES);
    runtime.block_on(running.shutdown()).expect("stops");
    (twice - once) * 1000 / i64::try_from(MESSAGES).unwrap_or(i64::MAX)
}

fn service() -> RustStream<Identity, (), PublishIdentity, Setup> {
    RustStream::new(AppInfo::new("steady", "1.0.0"))
}

#[derive(Debug, Deserialize, Serialize, Outgoing)]
struct Parcel {
    id: u64,
    grams: u32,
}

#[derive(Debug, Serialize, Outgoing)]
#[outgoing(name = "weighed")]
struct Weighed {
    id: u64,
    grams: u32,
}

#[derive(OutSlot)]
#[publishes(Weighed)]
struct Scale;

#[subscriber("parcels")]
async fn handled(parcel: &Parcel) -> HandlerOutcome {
    if parcel.grams == 900 {
        HandlerOutcome::ack()
    } else {
        HandlerOutcome::drop()
    }
}

#[subscriber("parcels", reply)]
async fn replied(parcel: &Parcel) -> Weighed {
    Weighed {
        id: parcel.id,
        grams: parcel.grams,
    }
}

#[subscriber("parcels")]
async fn through_a_slot(parcel: &Parcel, Out(scale): Out<impl Publisher, Scale>) -> HandlerOutcome {
    let weighed = Weighed {
        id: parcel.id,
        grams: parcel.grams,
    };
    match scale.message(&weighed).publish().await {
        Ok(()) => HandlerOutcome::ack(),
        Err(_) => HandlerOutcome::retry(),
    }
}

// CORE-112, CORE-261, PUB-171
#[test]
fn a_reply_through_a_lending_publisher_allocates_nothing() {
    let gauge = std::cell::OnceCell::new();
    let allocated = allocations_of(|feed| {
        gauge.set(feed.0.clone()).expect("once");
        service().with_broker(feed, |b| {
            b.include(replied);
        })
    });
    assert_eq!(allocated, 0);
    assert_eq!(
        gauge.get().expect("set").published(),
        2 * MESSAGES,
        "every message was answered"
    );
}

// PUB-172, PUB-175
#[test]
fn a_publish_of_a_fixed_name_through_a_slot_allocates_nothing() {
    let gauge = std::cell::OnceCell::new();
    let allocated = allocations_of(|feed| {
        gauge.set(feed.0.clone()).expect("once");
        service().with_broker(feed, |b| {
            b.include(through_a_slot).out(Scale, feed::Lending).build();
        })
    });
    assert_eq!(allocated, 0);
    assert_eq!(
        gauge.get().expect("set").published(),
        2 * MESSAGES,
        "every message was published"
    );
}

/// A layer that passes everything on.
#[derive(Debug, Clone, Copy)]
struct Through;

struct Passing<H>(H);

impl<M: Sync, C: Send, S: Send + Sync, H: Handler<M, C, S>> Handler<M, C, S> for Passing<H> {
    async fn handle(&self, message: &M, ctx: &mut Context<'_, C, S>) -> HandlerOutcome {
        self.0.handle(message, ctx).await
    }
}

impl BlanketLayer for Through {
    fn apply<M, C, S, H>(&self, handler: H) -> impl Handler<M, C, S> + 'static
    where
        M: Send + Sync + 'static,
        C: Send + 'static,
        S: Send + Sync + 'static,
        H: Handler<M, C, S> + 'static,
    {
        Passing(handler)
    }
}

/// Waits in the middle, so that every worker has its turn while others wait.
#[subscriber("parcels")]
async fn handled_in_turn(parcel: &Parcel) -> HandlerOutcome {
    tokio::task::yield_now().await;
    if parcel.grams == 900 {
        HandlerOutcome::ack()
    } else {
        HandlerOutcome::drop()
    }
}

#[subscriber("parcels")]
async fn batches_in_turn(parcels: &[Parcel]) -> HandlerOutcome {
    tokio::task::yield_now().await;
    if parcels.iter().all(|parcel| parcel.grams == 900) {
        HandlerOutcome::ack()
    } else {
        HandlerOutcome::drop()
    }
}

#[subscriber("parcels", reply)]
async fn replied_in_turn(parcel: &Parcel) -> Weighed {
    tokio::task::yield_now().await;
    Weighed {
        id: parcel.id,
        grams: parcel.grams,
    }
}

/// One test a form: nothing around the handler, then four layers that pass on.
macro_rules! allocates_nothing {
    ($($test:ident: $definition:expr;)+) => {$(
        // CORE-260, RUN-263
        #[test]
        fn $test() {
            let bare = allocations_of(|feed| {
                service().with_broker(feed, |b| drop(b.include($definition)))
            });
            let layered = allocations_of(|feed| {
                service()
                    .layer(Through)
                    .layer(Through)
                    .layer(Through)
                    .layer(Through)
                    .with_broker(feed, |b| drop(b.include($definition)))
            });
            assert_eq!((bare, layered), (0, 0), "bare, and with four layers");
        }
    )+};
}

// Those on dedicated threads are counted in `steady_state_threads`, across all threads.
allocates_nothing! {
    a_handled_delivery_allocates_nothing: handled;
    a_pooled_delivery_allocates_nothing: handled_in_turn.workers(nonzero!(4));
    a_keyed_delivery_allocates_nothing: handled_in_turn.workers_by_key(nonzero!(4));
    a_batched_delivery_allocates_nothing: batches_in_turn.batch(nonzero!(50));
    a_delivery_of_pooled_batches_allocates_nothing:
        batches_in_turn.batch(nonzero!(50)).workers(nonzero!(4));
    a_reply_from_a_pool_allocates_nothing: replied_in_turn.workers(nonzero!(4));
}
